// What the page shows: gzip in base64, unpacked when it is needed.

const VERDICTS = {
  fail: { glyph: "\u2715", word: "fail" },
  inconclusive: { glyph: "?", word: "inconclusive" },
  waived: { glyph: "w", word: "waived" },
  pass: { glyph: "\u2713", word: "pass" },
  not_applicable: { glyph: "\u2013", word: "not applicable" },
};
const LEVELS = ["MUST", "SHOULD", "MAY"];
const STATUSES = {
  nonconforming: { glyph: "\u2715", class: "fail" },
  incomplete: { glyph: "?", class: "inconclusive" },
  "incomplete (quick)": { glyph: "?", class: "inconclusive" },
  "no verdict": { glyph: "?", class: "inconclusive" },
  "nonconforming by its SDK alone": { glyph: "!", class: "advice" },
  "nonconforming by its framework alone": { glyph: "!", class: "advice" },
  "conforming-with-waivers": { glyph: "w", class: "waived" },
  conforming: { glyph: "\u2713", class: "pass" },
};

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** A text as a part of an address; what has no form there is replaced. */
const encoded = (text) => encodeURIComponent(text.toWellFormed());

const packed = (id) => document.getElementById(id).textContent;

/** The report without its details: `tools` are rows, `rules` are columns, each with its number. */
async function readOverview() {
  const report = await unpacked(packed("overview-data"));
  report.rules.forEach((rule, number) => Object.assign(rule, { number }));
  const keys = new Map();
  report.tools.forEach((tool, number) => {
    const wanted = encoded(tool.name).replaceAll("~", "%7E");
    const times = keys.get(wanted) ?? 0;
    keys.set(wanted, times + 1);
    tool.number = number;
    tool.cells = Array.from(tool.cells, (letter) => report.cells[letter] ?? null);
    tool.broken = tool.cells.filter((cell) => cell?.verdict === "fail" && cell.level === "MUST").length;
    tool.advice = tool.cells.filter((cell) => cell?.verdict === "fail" && cell.level !== "MUST").length;
    tool.open = tool.cells.filter((cell) => cell?.verdict === "inconclusive").length;
    tool.status = Object.hasOwn(STATUSES, tool.status) ? tool.status : "incomplete";
    tool.key = times ? `${wanted}~${times + 1}` : wanted;
  });
  report.rules.forEach((rule) => {
    rule.broken = report.tools.some((tool) => tool.cells[rule.number]?.verdict === "fail");
  });
  report.toolByKey = new Map(report.tools.map((tool) => [tool.key, tool]));
  report.ruleByKey = new Map(report.rules.map((rule) => [encoded(rule.code), rule]));
  report.ruleByCode = new Map(report.rules.map((rule) => [rule.code, rule]));
  return report;
}

let lines = null;
const details = new Map();

/** Everything that the report says of one tool. */
function detailOf(tool) {
  lines ??= packed("tool-data").split("\n");
  if (!details.has(tool.number)) details.set(tool.number, unpacked(lines[tool.number]));
  return details.get(tool.number);
}

let catalog = null;

/** The pages of the rules by code, and the clauses by id. */
function readCatalog() {
  catalog ??= unpacked(packed("catalog-data")).then(({ pages, clauses }) => ({
    pages: new Map(Object.entries(pages)),
    clauses: new Map(Object.entries(clauses)),
  }));
  return catalog;
}

const labelOf = (cell) => (cell ? `${VERDICTS[cell.verdict].word}, ${cell.level}` : "not judged");
const classOf = (cell) => (cell.verdict === "fail" && cell.level !== "MUST" ? "advice" : cell.verdict);
const glyphOf = (cell) => (classOf(cell) === "advice" ? "!" : VERDICTS[cell.verdict].glyph);
