// What shows that a tool breaks a rule: the page of one verdict.

const ruleAddress = (rule) => `#/rule/${encoded(rule.code)}`;
const toolAddress = (tool) => `#/tool/${tool.key}`;
const findingAddress = (tool, rule) => `#/tool/${tool.key}/${encoded(rule.code)}`;
const toolLink = (tool) => make("a", { href: toolAddress(tool) }, own(tool.name));
const ruleLink = (rule) => make("a", { href: ruleAddress(rule), class: "code" }, rule.code);
const clauseLink = (id) => make("a", { href: `#/clause/${encoded(id)}`, class: "code" }, id);
const verdictMark = (cell) => make("span", { class: `mark ${classOf(cell)}` }, `${glyphOf(cell)} ${labelOf(cell)}`);
const glyphMark = (cell) => make("span", { class: `mark ${classOf(cell)}`, title: labelOf(cell) }, glyphOf(cell));
const statusMark = (status) => make("span", { class: `mark ${STATUSES[status].class}` }, `${STATUSES[status].glyph} ${status}`);
/** The fix in the words of the tool's system. */
const remedyOf = (rule, tool) => (Object.hasOwn(rule.remedies, tool.system) ? rule.remedies[tool.system] : rule.remedy);
const json = (value) => JSON.stringify(value, null, 2);

/** Rows of a term and what it stands for; a row without content is left out. */
function facts(...rows) {
  return make("dl", {}, rows.filter(([, ...content]) => content.flat().some((part) => part != null && part !== false && part !== "")).map(([term, ...content]) => [make("dt", {}, term), make("dd", {}, content)]));
}

function trail(...steps) {
  const links = [make("a", { href: matrixAddress() }, "Matrix"), ...steps];
  return make("nav", { class: "trail", "aria-label": "Where this page is" }, make("ol", {}, links.map((link) => make("li", {}, link))));
}

async function findingPage(report, tool, rule) {
  const [detail, catalog] = await Promise.all([detailOf(tool), readCatalog()]);
  const verdict = detail.verdicts.find((found) => found.rule === rule.code);
  const cell = tool.cells[rule.number];
  if (!verdict || !cell) return missingPage(`${plain(tool.name)} has no verdict of ${rule.code}.`);
  const findings = [verdict.finding, ...(verdict.further ?? [])].filter(Boolean);
  const hidden = (verdict.causes ?? 0) - findings.length;
  return make(
    "article",
    {},
    trail(toolLink(tool), make("span", { "aria-current": "page" }, rule.code)),
    make("h1", { tabindex: "-1" }, make("span", { class: "code" }, rule.code), ` ${rule.name}`),
    make("p", { class: "under" }, verdictMark(cell), " ", own(tool.name), neighbours(report, tool, rule)),
    facts(
      ["The contract", rule.demand && prose(rule.demand), clausesOf(verdict.clauses ?? rule.clauses, catalog)],
      ["The tool", verdict.reason && own(verdict.reason)],
      ["Follows from", verdict.follows_from && [toolRuleLink(report, tool, verdict.follows_from), ": fix that first"]],
      ["Masked by", verdict.masked_by?.map((code) => [toolRuleLink(report, tool, code), " "])],
    ),
    make("p", { class: "note" }, `The rule judged ${count(verdict.observations, "observation")}.`),
    findings.map((finding, number) => findingSection(finding, number, findings.length, verdict.reason)),
    hidden > 0 && make("p", { class: "note" }, `${count(hidden, "more cause")} not shown.`),
    remedyOf(rule, tool) && cell.verdict !== "pass" && [make("h2", {}, "How to fix it"), make("p", {}, prose(remedyOf(rule, tool)))],
    make("p", {}, make("a", { href: ruleAddress(rule) }, `The page of ${rule.code}, with a tool that breaks it and one that does not`)),
  );
}

/** A link to how another rule ended for the tool. */
function toolRuleLink(report, tool, code) {
  const rule = report.ruleByCode.get(code);
  return rule ? make("a", { href: findingAddress(tool, rule), class: "code" }, code) : own(code, { class: "code" });
}

function clausesOf(clauses, catalog) {
  return make("ul", { class: "clauses" }, clauses.map((id) => make("li", {}, clauseLink(id), " ", prose(catalog.clauses.get(id)?.text ?? ""))));
}

/** Links to the broken rules of the tool before and after this one. */
function neighbours(report, tool, rule) {
  const broken = report.rules.filter((other) => other === rule || tool.cells[other.number]?.verdict === "fail");
  const here = broken.indexOf(rule);
  const link = (other, words) => other && make("a", { href: findingAddress(tool, other) }, words, " ", other.code);
  const links = [link(broken[here - 1], "\u2190 broken:"), link(broken[here + 1], "broken: \u2192")];
  return links.some(Boolean) && make("span", { class: "neighbours" }, links);
}

function findingSection(finding, number, total, reason) {
  const { call } = finding;
  const heading = total > 1 ? `Cause ${number + 1} of ${total}` : "What shows it";
  return make(
    "section",
    { class: "finding" },
    make("h2", {}, heading),
    facts(
      ["The suite", call?.suite && own(call.suite)],
      ["The tool", finding.message !== reason && own(finding.message)],
      ["Seen", !finding.reproduced && `In 1 of ${finding.attempts ?? 2} attempts: it depends on state or chance.`],
      ["The baseline", finding.known && own(baselineWords(finding.known))],
      ["Sent", call && sent(call.plan)],
      ["With", call && conditions(call.plan)],
      ["Before it", finding.history?.length > 0 && earlierCalls(finding.history)],
      ["What came back", call && outcome(call)],
      ["Reproduce", finding.replay && command(finding.replay)],
    ),
  );
}

/** Whether the entry of the baseline still counts, until when, and why the finding is accepted. */
function baselineWords({ reason, expires, expired }) {
  if (expired) return `knew it until ${expires}: ${reason}`;
  return `knows it${expires ? ` until ${expires}` : ""}: ${reason}`;
}

function sent(plan) {
  if (plan.arguments == null) return "null: no arguments at all";
  return plan.arguments === "" ? "the empty text" : block(plan.arguments, { "aria-label": "Arguments" });
}

/** The context of a call and how it was disturbed, shown at once only where that is what the probe changes. */
function conditions(plan) {
  const folded = (title, value, open) => value != null && make("details", { open }, make("summary", {}, title), block(json(value)));
  const context = plan.context === null ? make("p", {}, "no context") : folded("the context", plan.context, plan.probe === "context");
  return [context, folded("the disturbance", plan.disturbance, true)];
}

function earlierCalls(plans) {
  const items = listed(make("ol", {}), plans, (plan) => make("li", {}, sent(plan)), 50);
  return make("details", {}, make("summary", {}, `${count(plans.length, "call")} that the same process serves first`), items);
}

function outcome(call) {
  const { result, raised, stdout, stderr, logs } = call;
  const output = (stream, name) => stream?.text && [make("h4", {}, `${name}, ${count(stream.total_bytes, "byte")}`), block(stream.text, { "aria-label": name })];
  return [
    make("p", {}, call.outcome.replaceAll("_", " "), call.incident && [": ", own(call.incident)]),
    raised && [make("p", {}, make("span", { class: "code" }, raised.type_name), ": ", own(raised.message)), raised.traceback && make("details", {}, make("summary", {}, "Traceback"), block(raised.traceback))],
    result && resultOf(result),
    output(stdout, "Standard output"),
    output(stderr, "Standard error"),
    logs?.length > 0 && make("details", {}, make("summary", {}, count(logs.length, "log record")), block(json(logs))),
  ];
}

function resultOf(result) {
  const said = result.successful == null ? "" : result.successful ? ", success" : ", failure";
  const { type_name, is_invoke_result, successful, payload, payload_type, errors, error_message, ...rest } = result;
  return [
    make("p", {}, make("span", { class: "code" }, type_name), said, !is_invoke_result && ", not the type that the contract demands"),
    error_message && make("p", {}, "Error: ", own(error_message)),
    payload != null && block(payload, { "aria-label": "Result" }),
    payload == null && payload_type && payload_type !== "NoneType" && make("p", {}, "The payload is of the type ", make("span", { class: "code" }, payload_type)),
    make("details", {}, make("summary", {}, "The whole result"), block(json(result))),
  ];
}

/** A command with a button that copies it, where what is shown is all of it. */
function command(text) {
  const box = block(text, { class: "command", "aria-label": "Command" });
  if (plain(text) !== text) return box;
  const button = make("button", { type: "button", class: "copy", click: async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } }, "Copy");
  return make("div", { class: "copied" }, box, navigator.clipboard && button);
}
