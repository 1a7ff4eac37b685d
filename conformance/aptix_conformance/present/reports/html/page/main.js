// Which page is shown: the address after # names it, so that links, Back and bookmarks work.

const header = document.getElementById("top");
const main = document.getElementById("main");
let report = null;
let matrix = null;
let choice = { ...NOTHING_CHOSEN };
let shownAddress = null;

const matrixAddress = () => `#/${queryOf(choice)}`;

function missingPage(why) {
  return make("article", {}, trail(make("span", { "aria-current": "page" }, "Nothing here")), make("h1", { tabindex: "-1" }, "There is nothing here"), make("p", {}, why));
}

// ---- the head of every page

function headline() {
  const { suite, run, revision } = report;
  const about = [
    run.started && `started ${run.started}`,
    revision && `commit ${revision.commit.slice(0, 12)}${revision.modified ? ", modified" : ""}`,
    `suite ${suite.version}`,
    `seed ${suite.seed}`,
    `${suite.examples} examples`,
    run.python && `Python ${run.python}`,
    run.platform,
  ];
  const links = [["#/", "Matrix"], ["#/rules", "Rules"]].map(([href, words]) => make("a", { href }, words));
  links[0].addEventListener("click", () => links[0].setAttribute("href", matrixAddress()));
  return [
    make("div", { class: "title" }, make("p", { class: "name" }, "Conformance report"), make("nav", { "aria-label": "Pages" }, links)),
    make("p", { class: "about" }, about.filter(Boolean).map((part) => [own(part), " "])),
    !suite.complete && make("p", { class: "box fail" }, own(report.ended_early)),
    !suite.isolated && make("p", { class: "box inconclusive" }, "The tools ran in the process of the tests, without isolation."),
    report.unneeded_waivers.map((text) => make("p", { class: "box fail" }, own(text))),
  ];
}

function totals() {
  const total = report.tools.length;
  const tile = ([status, { glyph, class: kind }]) => {
    const number = report.tools.filter((tool) => tool.status === status).length;
    const share = make("span", { class: "share" });
    share.style.setProperty("--share", total ? number / total : 0);
    const pressed = choice.status === status;
    return make("button", { type: "button", class: `tile ${kind}`, "aria-pressed": String(pressed), click: () => choose({ ...choice, status: pressed ? "" : status }, true) }, make("span", { class: "value" }, number.toLocaleString("en")), make("span", { class: "label" }, `${glyph} ${status}`), share);
  };
  const levels = LEVELS.map((level) => [level, report.totals.verdicts[level] ?? {}]).filter(([, found]) => Object.values(found).some(Boolean));
  const cells = ([level, found]) => make("tr", {}, make("th", { scope: "row" }, level), Object.keys(VERDICTS).map((verdict) => make("td", { class: "number" }, (found[verdict] ?? 0).toLocaleString("en"))));
  const verdicts = make("table", { class: "totals" }, make("caption", {}, "Verdicts"), make("thead", {}, make("tr", {}, make("td", {}), Object.values(VERDICTS).map(({ glyph, word }) => make("th", { scope: "col", class: "number" }, `${glyph} ${word}`)))), make("tbody", {}, levels.map(cells)));
  return make("section", { class: "overview", "aria-label": "Totals" }, make("div", { class: "tiles", role: "group", "aria-label": `${total.toLocaleString("en")} ${report.kinds} by status` }, Object.entries(statusesOf(report)).map(tile)), levels.length > 0 && make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Verdicts" }, verdicts));
}

/** What is broken, the worst first, each with a tool, what it did, the call and the fix; then what has no verdict, and why. */
function toDo() {
  const { to_fix: broken, of_sdks: ofSdks, open } = report;
  const fix = ({ rule: code, tools, message, sent }) => {
    const rule = report.ruleByCode.get(code);
    const [tool, ...others] = tools.map((number) => report.tools[number]);
    return make(
      "li",
      {},
      make("p", {}, make("a", { href: findingAddress(tool, rule) }, make("b", {}, code), ` ${rule.name}`), " in ", make("a", { href: toolAddress(tool) }, own(tool.name)), others.length > 0 && ` and ${count(others.length, "other")}`, ": ", own(message)),
      sent && make("p", {}, make("span", { class: "label" }, "Sent "), own(sent, { class: "code" })),
      remedyOf(rule, tool) && make("p", {}, make("span", { class: "label" }, "Fix "), prose(remedyOf(rule, tool))),
    );
  };
  const follow = broken.length < report.broken ? ", of which this list leaves out those that follow from others" : "";
  const untried = ({ tool: number, why }) => make("li", {}, make("a", { href: toolAddress(report.tools[number]) }, own(report.tools[number].name)), ": ", own(why || "a rule was not examined"));
  return make(
    "section",
    { class: "to-do", "aria-label": "What to do" },
    make("h2", {}, broken.length > 0 ? `What to fix: ${count(report.broken, "MUST rule")}${follow}` : report.known > 0 ? "No tool breaks a MUST that the baseline does not have" : "No tool breaks a MUST of its own"),
    broken.length > 0 && listed(make("ol", {}), broken, fix, 3),
    ofSdks.map((text) => make("p", { class: "note" }, own(text))),
    open.length > 0 && [make("h2", {}, `Without a verdict: ${open.length.toLocaleString("en")} of ${report.tools.length.toLocaleString("en")} ${report.kinds}`), listed(make("ul", {}), open, untried, 3)],
  );
}

const LEGEND = [["fail", "\u2715", "MUST broken"], ["advice", "!", "SHOULD or MAY broken"], ["inconclusive", "?", "inconclusive"], ["waived", "w", "waived"], ["pass", "\u2713", "pass"], ["not_applicable", "\u2013", "not applicable"]];

function matrixPage() {
  const inspector = make("p", { class: "inspector" });
  const hint = (tool, rule) => inspector.replaceChildren(...make("span", {}, hintOf(tool, rule)).childNodes);
  matrix ??= new Matrix(report, openCell, (tool, rule) => hint(tool, rule));
  matrix.hint = hint;
  const selected = select(report, choice);
  const found = make("p", { class: "found", role: "status" }, foundText(selected));
  const legend = make("ul", { class: "legend", "aria-label": "Marks" }, LEGEND.map(([kind, glyph, word]) => make("li", {}, make("span", { class: `cell ${kind}` }, glyph), word)));
  const page = make("div", { class: "matrix-page" }, make("h1", { tabindex: "-1", class: "unseen" }, "Tools and rules"), totals(), toDo(), filterBar(report, choice, choose), make("div", { class: "above" }, found, legend), matrix.grid, inspector);
  hint(null, null);
  return page;
}

const foundText = ({ rows, columns }) => `${rows.length.toLocaleString("en")} of ${report.tools.length.toLocaleString("en")} ${report.kinds}, ${columns.length.toLocaleString("en")} of ${count(report.rules.length, "rule")}`;

function hintOf(tool, rule) {
  if (!tool && !rule) return "Arrow keys move in the matrix; Enter opens a tool, a rule, or what was found.";
  if (!tool) return [make("b", {}, rule.code), ` ${rule.name}: `, prose(rule.demand)];
  if (!rule) return [own(tool.name, { class: "strong" }), `: ${tool.status}, `, own(tool.target, { class: "code" }), ` ${spread(tool)}`];
  return [own(tool.name, { class: "strong" }), " ", make("b", {}, rule.code), ` ${rule.name}: ${labelOf(tool.cells[rule.number])}`];
}

function openCell(tool, rule) {
  location.hash = !tool ? ruleAddress(rule) : !rule ? toolAddress(tool) : findingAddress(tool, rule);
}

/** Show another part of the matrix; the address says which. `anew` makes the bar of filters anew, too. */
function choose(wanted, anew = false) {
  choice = wanted;
  shownAddress = matrixAddress();
  history.replaceState(null, "", shownAddress);
  if (anew) {
    const focused = document.activeElement?.textContent;
    main.replaceChildren(matrixPage());
    [...main.querySelectorAll("button")].find((button) => button.textContent === focused)?.focus();
  }
  refill();
}

function refill() {
  const selected = select(report, choice);
  matrix.fill(selected);
  main.querySelector(".found").textContent = foundText(selected);
  for (const [number, status] of Object.keys(statusesOf(report)).entries()) main.querySelectorAll(".tile")[number].setAttribute("aria-pressed", String(choice.status === status));
}

// ---- addresses

async function pageOf(address) {
  const [path, query = ""] = address.replace(/^#?\/?/, "").split("?");
  const [kind, key = "", code = ""] = path.split("/");
  if (kind === "") {
    choice = choiceFrom(query);
    return matrixPage();
  }
  const rule = report.ruleByKey.get(kind === "rule" ? key : code);
  const tool = report.toolByKey.get(key);
  if (kind === "rules") return rulesPage(report);
  if (kind === "rule" && rule) return rulePage(report, rule);
  if (kind === "clause") return clausePage(report, key);
  if (kind === "tool" && tool && rule) return findingPage(report, tool, rule);
  if (kind === "tool" && tool && !code) return toolPage(report, tool);
  return missingPage("The address names no tool, rule or clause of this report.");
}

async function show() {
  const address = location.hash;
  if (address === shownAddress) return;
  const first = shownAddress === null;
  shownAddress = address;
  const page = await pageOf(address).catch((error) => missingPage(`This part of the report cannot be read: ${error.message}`));
  if (address !== location.hash) return; // another one was asked for in the meantime
  main.replaceChildren(page);
  const heading = page.querySelector("h1");
  document.title = `${heading.textContent} \u2013 Conformance report`;
  if (page.classList.contains("matrix-page")) {
    matrix.fill(select(report, choice));
    if (!first) {
      matrix.restore();
      matrix.grid.focus({ preventScroll: true });
    }
  } else {
    scrollTo(0, 0);
    heading.focus({ preventScroll: true });
  }
}

// ---- print: the matrix as a list, since a printer shows no more than the elements that are there

addEventListener("beforeprint", () => {
  if (!main.querySelector(".matrix-page")) return;
  for (let more; (more = main.querySelector(".to-do .more")); ) more.click();
  const { rows } = select(report, choice);
  const codes = (tool, belongs) => report.rules.filter((rule) => tool.cells[rule.number] && belongs(tool.cells[rule.number])).map((rule) => rule.code).join(" ");
  const titles = ["Tool", "Status", "MUST broken", "Other rules broken", "Inconclusive"];
  const line = (tool) => make("tr", {}, make("th", { scope: "row" }, own(tool.name)), make("td", {}, `${STATUSES[tool.status].glyph} ${tool.status}`), GROUPS.slice(0, 3).map(([, belongs]) => make("td", {}, codes(tool, belongs))));
  main.append(make("table", { class: "printed" }, make("thead", {}, make("tr", {}, titles.map((title) => make("th", { scope: "col" }, title)))), make("tbody", {}, rows.map(line))));
});
addEventListener("afterprint", () => main.querySelector(".printed")?.remove());

// ---- start

try {
  report = await readOverview();
  header.append(...headline().flat().filter(Boolean));
  addEventListener("hashchange", show);
  await show();
  // Milliseconds to the first frame with the matrix: benchmarks/ reads them.
  requestAnimationFrame(() => setTimeout(() => (document.documentElement.dataset.ready = Math.round(performance.now()))));
} catch (error) {
  main.replaceChildren(make("h1", {}, "This report cannot be shown"), make("p", {}, `This browser cannot read it: ${error.message}. Use a browser of 2024 or later, or switch off scripts to read the summary.`));
}
