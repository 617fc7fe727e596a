/** Writes CSV rows (RFC 4180). The text of a field is changed so that spreadsheets do not execute it. */

/**
 * Matches the start of a text that a spreadsheet may take for a formula (OWASP, CSV injection). A formula
 * starts with =, +, - or @, or with their full-width and small forms. Some spreadsheets split cells at
 * semicolons or tabs, whatever separator we use. Some ignore blanks, invisible characters and quotes before
 * the sign.
 */
const formulaStart =
  /(^|[;\p{Cc}\u2028\u2029])([\s"\p{Cf}\p{Cc}]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])/gu

/** Returns one row. An apostrophe before a possible formula makes a spreadsheet show the formula as text. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(text: string): string {
  const safe = text.replaceAll(formulaStart, "$1$2'")
  return safe !== text || /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The first character of the file. Spreadsheets recognise UTF-8 by this character. */
export const byteOrderMark = '\ufeff'
