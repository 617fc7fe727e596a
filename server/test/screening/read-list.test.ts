import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ListFormatError } from '../../src/payments/screening/list-format.ts'
import { readList } from '../../src/payments/screening/read-list.ts'
import { chunks } from '../support/screening.ts'

const sdn = await readFile(new URL('./sdn-fixture.xml', import.meta.url), 'utf8')

const read = (text: string, size?: number) => readList(chunks(text, size))

describe('a list in the form of sdn_advanced.xml', () => {
  it('is read for the addresses of every code and their owners, whatever pieces it arrives in', async () => {
    const expected = [
      { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', code: 'ETH', party: '70001' },
      { address: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', code: 'USDT', party: '70001' },
      { address: 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', code: 'XBT', party: '70002' },
      { address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC', code: 'USDT', party: '70002' },
      { address: '0XDE709F2102306220921060314715629080E2FB77', code: 'USDT', party: '70002' },
      { address: 'new1currencyaddress', code: 'NEW', party: '70002' },
    ]
    const { sha256 } = await read(sdn)
    expect(sha256).toEqual(createHash('sha256').update(sdn).digest())
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5000 }), async (size) => {
        expect((await read(sdn, size)).entries).toEqual(expected)
      }),
      { numRuns: 20, examples: [[1]] },
    )
  })

  it('is refused completely if it is truncated', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 10, max: sdn.trimEnd().length - 1 }), async (length) => {
        await expect(read(sdn.slice(0, length))).rejects.toThrow(ListFormatError)
      }),
      { numRuns: 50 },
    )
  })

  it.each([
    ['another document', '<html><body>Not found</body></html>', 'its root element is <html>'],
    ['one without addresses', '<Sanctions></Sanctions>', 'declares no feature'],
    [
      'one with entities of its own',
      '<!DOCTYPE S [<!ENTITY a "b">]><Sanctions>&a;</Sanctions>',
      'well-formed',
    ],
  ])('is refused if it is %s', async (_, text, reason) => {
    await expect(read(text)).rejects.toThrow(reason)
  })
})

describe('a plain list', () => {
  it('has one address per line, and comments', async () => {
    const text = '# ours\n\n  0xabc # a shop\r\n1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'
    for (const size of [1, 3, 100]) {
      expect((await read(text, size)).entries.map(({ address }) => address)).toEqual([
        '0xabc',
        '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      ])
    }
  })

  it('is refused if a line is something else', async () => {
    await expect(read('0xabc\nNot found, try later')).rejects.toThrow('line 2 is not a single address')
    await expect(read('x'.repeat(20_000))).rejects.toThrow('not a single address')
    await expect(readList(invalid())).rejects.toThrow('UTF-8')
  })
})

async function* invalid(): AsyncGenerator<Uint8Array> {
  yield Buffer.from([0x30, 0xff, 0xfe])
}
