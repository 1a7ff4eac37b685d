// What of the matrix is shown: chosen in the bar above it, and kept in the address.

const SORTS = { worst: "worst first", name: "by name", calls: "most calls", slow: "slowest" };
const NOTHING_CHOSEN = { tool: "", rule: "", status: "", system: "", edition: "", level: "", area: "", verdict: "", sort: "worst" };

/** The choice that an address names; what it does not know is left out. */
function choiceFrom(query) {
  const asked = new URLSearchParams(query);
  return Object.fromEntries(Object.entries(NOTHING_CHOSEN).map(([name, usual]) => [name, asked.get(name) ?? usual]));
}

function queryOf(choice) {
  const chosen = Object.entries(choice).filter(([name, value]) => value !== NOTHING_CHOSEN[name]);
  return chosen.length ? `?${new URLSearchParams(chosen.map(([name, value]) => [name, value.toWellFormed()]))}` : "";
}

/** The cells of a choice: `rows` and `columns` are tools and rules, `seen` says whether a verdict is shown. */
function select(report, choice) {
  const has = (texts, wanted) => {
    const text = texts.join("\n").toLowerCase();
    return wanted.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  };
  const seen = (cell) =>
    cell !== null &&
    (!choice.level || cell.level === choice.level) &&
    (!choice.verdict || cell.verdict === choice.verdict);
  const picky = Boolean(choice.level || choice.verdict);
  let rules = report.rules.filter(
    (rule) => (!choice.area || rule.area === choice.area) && has([rule.code, rule.name, rule.demand], choice.rule),
  );
  let tools = report.tools.filter(
    (tool) =>
      (!choice.status || tool.status === choice.status) &&
      (!choice.system || tool.system === choice.system) &&
      (!choice.edition || tool.edition === choice.edition) &&
      has([tool.name, tool.target, tool.distribution], choice.tool),
  );
  if (picky || choice.rule || choice.area) tools = tools.filter((tool) => rules.some((rule) => seen(tool.cells[rule.number])));
  rules = rules.filter((rule) => tools.some((tool) => seen(tool.cells[rule.number])));
  rules = [...rules.filter((rule) => rule.broken), ...rules.filter((rule) => !rule.broken)];
  return { rows: sorted(tools, choice.sort), columns: rules, seen };
}

/** The statuses of a report: those that are the rule, and others that a tool has. */
function statusesOf(report) {
  return Object.fromEntries(Object.entries(STATUSES).filter(([status]) => status in report.totals.tools || report.tools.some((tool) => tool.status === status)));
}

function sorted(tools, order) {
  const rank = Object.keys(STATUSES);
  const orders = {
    worst: (a, b) => rank.indexOf(a.status) - rank.indexOf(b.status) || b.broken - a.broken || b.advice - a.advice || b.open - a.open || a.number - b.number,
    name: (a, b) => a.number - b.number,
    calls: (a, b) => b.calls - a.calls || a.number - b.number,
    slow: (a, b) => b.seconds - a.seconds || a.number - b.number,
  };
  return tools.toSorted(Object.hasOwn(orders, order) ? orders[order] : orders.worst);
}

/** The bar of filters; `changed` is called with each new choice. */
function filterBar(report, choice, changed) {
  const inputs = {};
  const current = () => Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value]));
  const tell = () => changed({ ...NOTHING_CHOSEN, ...current() });
  const text = (name, label, hint) => {
    inputs[name] = make("input", { type: "search", id: `filter-${name}`, placeholder: hint, value: choice[name], autocomplete: "off", spellcheck: "false", input: tell });
    return make("div", { class: "field wide" }, make("label", { for: `filter-${name}` }, label), inputs[name]);
  };
  const pick = (name, label, options, none = "all") => {
    const all = none === null ? [] : [["", none]];
    inputs[name] = make("select", { id: `filter-${name}`, change: tell }, [...all, ...options].map(([value, words]) => {
      const option = make("option", { selected: value === choice[name] }, words);
      option.value = value; // exactly, where the label shows escapes
      return option;
    }));
    return make("div", { class: "field" }, make("label", { for: `filter-${name}` }, label), inputs[name]);
  };
  const distinct = (member) => [...new Set(report.tools.map((tool) => tool[member]))].filter(Boolean).toSorted().map((value) => [value, value]);
  const several = (name, label, options) => (options.length > 1 ? pick(name, label, options) : null);
  const reset = make("button", { type: "button", class: "reset", click: () => changed({ ...NOTHING_CHOSEN }, true) }, "Reset");
  return make(
    "form",
    { class: "filters", role: "search", "aria-label": "Filters of the matrix", submit: (event) => event.preventDefault() },
    text("tool", "Tool", "name, target, distribution"),
    text("rule", "Rule", "code, name, demand"),
    pick("status", "Status", Object.keys(statusesOf(report)).map((status) => [status, status])),
    several("system", "System", distinct("system")),
    several("edition", "Edition", distinct("edition")),
    pick("area", "Area", report.areas.map(([area, title]) => [area, title ? `${area}: ${title}` : area])),
    pick("level", "Level", LEVELS.map((level) => [level, level])),
    pick("verdict", "Verdict", Object.entries(VERDICTS).map(([verdict, { word }]) => [verdict, word])),
    pick("sort", "Order", Object.entries(SORTS), null),
    reset,
  );
}
