// The page of a tool: what it is, how each rule ended, what was tried and left out, what it declares.

async function toolPage(report, tool) {
  const detail = await detailOf(tool);
  return make(
    "article",
    {},
    trail(make("span", { "aria-current": "page" }, own(tool.name))),
    make("h1", { tabindex: "-1" }, own(tool.name)),
    make("p", { class: "under" }, statusMark(tool.status), " ", spread(tool)),
    detail.error && make("div", { class: "box fail" }, make("h2", {}, "Not examined"), block(detail.error)),
    ...(detail.harness_errors || []).map((error) => make(
      "div", { class: "box fail" }, make("h2", {}, "The suite failed"), block(`${error.said}\n${error.traceback}`),
    )),
    detail.unreached && unreached(detail.unreached),
    origin(tool, detail),
    contents(detail),
    verdictTables(report, tool, detail),
    tried(report, detail),
    leftOut(detail),
    declared(detail),
  );
}

const spread = (tool) => {
  const parts = [
    [tool.broken, "MUST broken", "MUST broken"],
    [tool.advice, "piece of advice", "pieces of advice"],
    [tool.open, "rule not examined", "rules not examined"],
  ];
  return parts.filter(([number]) => number).map(([number, one, many]) => count(number, one, many)).join(", ");
};

function unreached({ reason, said, remedy, settings }) {
  return make("div", { class: "box inconclusive" }, make("h2", {}, "Never seen to work"), make("p", {}, own(reason)), said && make("p", {}, "It answered: ", own(said)), make("p", {}, own(remedy)), settings && block(settings));
}

function origin(tool, detail) {
  const { source, distribution } = detail;
  return facts(
    ["Target", own(tool.target, { class: "code" })],
    ["System", own(tool.system), tool.edition && [", judged by ", own(tool.edition, { class: "code" })]],
    ["Defined in", source && own(source.line ? `${source.file}:${source.line}` : source.file, { class: "code" })],
    ["Distribution", distribution && own(`${distribution.name} ${distribution.version}`)],
    ["Containment", containment(detail)],
    ["Examined", `${count(detail.calls, "call")} in ${detail.seconds.toFixed(1)} s`],
    ["Cache", detail.cache && own([CACHE[detail.cache.state], detail.cache.examined, ...(detail.cache.reasons ?? [])].filter(Boolean).join(": "))],
    ["Schema", detail.schema_fingerprint && make("span", { class: "code" }, detail.schema_fingerprint)],
  );
}

const CACHE = {
  taken: "taken from an earlier run, which examined it",
  confirmed: "examined again, with the same results as",
  differs: "not reproducible: differs from the examination of",
  new: "examined in this run",
  not_kept: "not kept",
};

function containment(detail) {
  const reached = detail.containment_reached;
  return reached ? own([reached.level, ...(reached.reasons ?? [])].join(": ")) : detail.containment;
}

function contents(detail) {
  const jump = (id, words) => make("button", { type: "button", class: "link", click: () => document.getElementById(id)?.scrollIntoView() }, words);
  return make("nav", { class: "contents", "aria-label": "On this page" }, jump("rules", "Rules"), detail.examined && jump("tried", "What was tried"), jump("left-out", "What was left out"), detail.declared && jump("declared", "What it declares"));
}

const GROUPS = [
  ["Broken: MUST", (cell) => cell.verdict === "fail" && cell.level === "MUST"],
  ["Broken: SHOULD and MAY", (cell) => cell.verdict === "fail" && cell.level !== "MUST"],
  ["Not examined", (cell) => cell.verdict === "inconclusive"],
  ["Waived", (cell) => cell.verdict === "waived"],
  ["Kept", (cell) => cell.verdict === "pass"],
  ["Does not apply", (cell) => cell.verdict === "not_applicable"],
];

function verdictTables(report, tool, detail) {
  const judged = detail.verdicts.map((verdict) => ({ verdict, rule: report.ruleByCode.get(verdict.rule) })).map((entry) => ({ ...entry, cell: tool.cells[entry.rule.number] }));
  return make(
    "section",
    { id: "rules" },
    make("h2", {}, "Rules"),
    judged.length === 0 && make("p", { class: "note" }, "No rule judged this tool."),
    GROUPS.map(([title, belongs], number) => {
      const some = judged.filter(({ cell }) => belongs(cell));
      return some.length > 0 && make("details", { open: number < 4 }, make("summary", {}, `${title} (${some.length})`), verdictTable(title, tool, some));
    }),
  );
}

function verdictTable(title, tool, judged) {
  const head = ["Rule", "Level", "What was found", "Observations"].map((title, number) => make("th", { scope: "col", class: number === 3 && "number" }, title));
  const rows = judged.map(({ verdict, rule, cell }) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, make("a", { href: findingAddress(tool, rule) }, glyphMark(cell), " ", make("span", { class: "code" }, rule.code), ` ${rule.name}`)),
      make("td", {}, cell.level),
      make("td", {}, verdict.reason ? own(verdict.reason) : VERDICTS[cell.verdict].word),
      make("td", { class: "number" }, verdict.observations.toLocaleString("en")),
    ),
  );
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, make("table", {}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows)));
}

function table(label, titles, rows) {
  const body = listed(make("tbody", {}), rows, (cells) => make("tr", {}, cells.map((cell, number) => make("td", { class: typeof cell === "number" && "number" }, typeof cell === "number" ? cell.toLocaleString("en") : number === 0 ? own(cell) : cell))));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, make("table", {}, make("thead", {}, make("tr", {}, titles.map((title) => make("th", { scope: "col" }, title)))), body));
}

function tried(report, detail) {
  const { examined, steps = [] } = detail;
  if (!examined) return null;
  const part = (title, rows, columns) => [make("h3", {}, `${title} (${rows.length})`), rows.length > 0 ? table(title, columns, rows) : make("p", { class: "note" }, "None was found.")];
  return make(
    "section",
    { id: "tried" },
    make("h2", {}, "What was tried"),
    make("p", { class: "note" }, `Each generating probe was asked for ${count(report.suite.examples, "drawn call")}; the seed is ${report.suite.seed}.`),
    part("Steps", steps.map((step) => [step.step, step.calls, step.drawn ?? 0, step.seconds.toFixed(2)]), ["Step", "Calls", "of them drawn", "Seconds"]),
    part("Places where a dependency was made to fail", (examined.fault_sites ?? []).map((site) => [site.at, site.faults.join(", ")]), ["Place", "Faults"]),
    part("Places where its calls wait", (examined.suspensions ?? []).map((place) => [place.at, place.cancelled.join(", ") || "not cancelled there"]), ["Place", "Cancelled by"]),
    part("Conditions under which its declaration was read again", (examined.restarts ?? []).map((one) => [Object.entries(one).map(([name, value]) => `${name}: ${value}`).join(", ")]), ["Conditions"]),
  );
}

function leftOut(detail) {
  const { shortfalls = [], examined } = detail;
  const kind = (found) => (found.expected ? "nothing to do" : found.reduced_coverage ? "a part was examined" : "not examined");
  const beyond = examined?.fault_sites_out_of_reach ?? [];
  return make(
    "section",
    { id: "left-out" },
    make("h2", {}, "What was left out"),
    shortfalls.length > 0 ? table("What was left out", ["Probe", "Why", "How far"], shortfalls.map((found) => [found.probe, own(found.reason), kind(found)])) : make("p", { class: "note" }, "Nothing that was planned."),
    beyond.length > 0 && [make("h3", {}, "Places where nothing can be made to fail"), make("ul", {}, beyond.map((text) => make("li", {}, own(text))))],
  );
}

function declared(detail) {
  const found = detail.declared;
  if (!found) return null;
  return make(
    "section",
    { id: "declared" },
    make("h2", {}, "What it declares"),
    make("h3", {}, "Function schema"),
    found.schema == null ? make("p", { class: "note" }, "None that a report can keep.") : block(json(found.schema), { "aria-label": "Function schema" }),
    make("h3", {}, "Usage text"),
    found.usage_text == null ? make("p", { class: "note" }, "None, or too long to keep.") : block(found.usage_text, { "aria-label": "Usage text", class: "wrapped" }),
    found.result_shape && [make("h3", {}, "Shape of its results"), table("Shape of its results", ["Path", "Type"], Object.entries(found.result_shape))],
  );
}
