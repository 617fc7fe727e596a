/** Rows as RFC 4180 has them, which spreadsheets open without running anything that somebody wrote into a field. */

/**
 * What makes a spreadsheet take a cell for a formula (OWASP, CSV injection), its full-width forms included; a blank
 * before it does not stop all of them.
 */
const formulaStart = /^\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** One line. What could be a formula is quoted behind an apostrophe, which shows it as text. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(text: string): string {
  const isFormula = formulaStart.test(text)
  const safe = isFormula ? `'${text}` : text
  return isFormula || /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** By which spreadsheets know the text for UTF-8. */
export const byteOrderMark = '\ufeff'
