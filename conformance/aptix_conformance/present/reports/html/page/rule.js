// The page of a rule and of a clause, and the list of rules.

const VIEWS = {
  text: ({ text }) => make("p", {}, prose(text)),
  items: ({ items }) => make("ul", {}, items.map((item) => make("li", {}, prose(item)))),
  code: ({ text }) => block(text),
  file: ({ label, path }) => make("p", { class: "note" }, `${label}: `, make("span", { class: "code" }, path)),
};
const blockView = (found) => VIEWS[found.kind](found);

/** How many tools ended a rule with each verdict. */
function tally(report, rule) {
  const found = Object.fromEntries(Object.keys(VERDICTS).map((verdict) => [verdict, 0]));
  for (const tool of report.tools) {
    const cell = tool.cells[rule.number];
    if (cell) found[cell.verdict] += 1;
  }
  return found;
}

async function rulePage(report, rule) {
  const catalog = await readCatalog();
  const page = catalog.pages.get(rule.code);
  const tools = (verdict) => report.tools.filter((tool) => tool.cells[rule.number]?.verdict === verdict);
  const named = (verdict, title) => {
    const some = tools(verdict);
    return some.length > 0 && make("details", { open: verdict === "fail" }, make("summary", {}, `${title} (${some.length.toLocaleString("en")})`), listed(make("ul", { class: "tools" }), some, (tool) => make("li", {}, make("a", { href: findingAddress(tool, rule) }, glyphMark(tool.cells[rule.number]), " ", own(tool.name)))));
  };
  return make(
    "article",
    {},
    trail(make("a", { href: "#/rules" }, "Rules"), make("span", { "aria-current": "page" }, rule.code)),
    make("h1", { tabindex: "-1" }, make("span", { class: "code" }, rule.code), ` ${rule.name}`),
    page ? page.lead.map(blockView) : make("p", { class: "note" }, "This installation does not know the rule, so its page is missing."),
    make("section", {}, make("h2", {}, "In this report"), named("fail", "Tools that break it"), named("inconclusive", "Tools for which it is inconclusive"), named("waived", "Tools that waive it"), make("p", { class: "note" }, Object.entries(tally(report, rule)).map(([verdict, number]) => `${number.toLocaleString("en")} ${VERDICTS[verdict].word}`).join(", "))),
    rule.clauses.length > 0 && make("section", {}, make("h2", {}, "Clauses"), clausesOf(rule.clauses, catalog)),
    page?.sections.map(({ heading, blocks }) => make("section", {}, make("h2", {}, heading), blocks.map(blockView))),
  );
}

async function clausePage(report, key) {
  const { clauses } = await readCatalog();
  const known = [...clauses.keys(), ...report.rules.flatMap((rule) => rule.clauses)];
  const id = known.find((other) => encoded(other) === key);
  if (id === undefined) return missingPage("This report cites no such clause.");
  const clause = clauses.get(id);
  const citing = report.rules.filter((rule) => rule.clauses.includes(id));
  return make(
    "article",
    {},
    trail(make("span", {}, "Clauses"), make("span", { "aria-current": "page" }, own(id))),
    make("h1", { tabindex: "-1" }, own(id)),
    clause ? [make("p", { class: "clause" }, prose(clause.text)), facts(["Document", clause.document], ["Level", clause.level], ["In editions", clause.editions.map(([edition, level]) => make("div", {}, `${edition}: ${level}`))])] : make("p", { class: "note" }, "This installation does not know the clause."),
    make("section", {}, make("h2", {}, "Rules that check it"), ruleTable(report, citing)),
  );
}

function rulesPage(report) {
  const order = (a, b) => b.found.fail - a.found.fail || b.found.inconclusive - a.found.inconclusive || a.rule.number - b.rule.number;
  const rules = report.rules.map((rule) => ({ rule, found: tally(report, rule) })).toSorted(order).map(({ rule }) => rule);
  return make("article", {}, trail(make("span", { "aria-current": "page" }, "Rules")), make("h1", { tabindex: "-1" }, "Rules, the most broken first"), ruleTable(report, rules));
}

function ruleTable(report, rules) {
  const titles = ["Rule", ...Object.values(VERDICTS).map(({ word }) => word)];
  const row = (rule) => {
    const found = tally(report, rule);
    return make("tr", {}, make("th", { scope: "row" }, ruleLink(rule), ` ${rule.name}`), Object.entries(found).map(([verdict, number]) => make("td", { class: `number ${number ? verdict : "zero"}` }, number.toLocaleString("en"))));
  };
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rules" }, make("table", {}, make("thead", {}, make("tr", {}, titles.map((title, number) => make("th", { scope: "col", class: number && "number" }, title)))), listed(make("tbody", {}), rules, row, 400)));
}
