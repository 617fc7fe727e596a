/** Rows as RFC 4180 has them, which spreadsheets open without running anything that somebody wrote into a field. */

/**
 * What makes a spreadsheet take a cell for a formula (OWASP, CSV injection), its full-width and small forms included:
 * one of these signs, where a cell begins. Some part cells by semicolons or tabs, whatever we part them by, and some drop
 * blanks, invisible characters and quotes before the sign.
 */
const formulaStart =
  /(^|[;\p{Cc}\u2028\u2029])([\s"\p{Cf}\p{Cc}]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])/gu

/** One line. What could be a formula stands behind an apostrophe, which shows it as text. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(text: string): string {
  const safe = text.replaceAll(formulaStart, "$1$2'")
  return safe !== text || /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** By which spreadsheets know the text for UTF-8. */
export const byteOrderMark = '\ufeff'
