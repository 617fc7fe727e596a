import { describe, expect, it } from 'vitest'
import type { Transfer } from '../../../chains/port.ts'
import { unrecordedTransfers } from './unrecorded-transfers.ts'

const txHash = '0xaa'

function paid(recipient: string, amount: number, position: string): Transfer {
  const key = `${txHash}:call:${position}`
  return { key, txHash, asset: { type: 'coin' }, sender: '0xc0', recipient, amountMinor: BigInt(amount) }
}

function positions(reported: readonly Transfer[], recorded: readonly Transfer[]): readonly string[] {
  return unrecordedTransfers(reported, recorded).map(({ key }) => key.slice(`${txHash}:call:`.length))
}

describe('transfers of a block that is read again', () => {
  it('are all recorded if a node numbers the calls differently', () => {
    const recorded = [paid('0x01', 1, '1'), paid('0x02', 2, '2')]
    expect(positions([paid('0x01', 1, '0'), paid('0x02', 2, '1')], recorded)).toEqual([])
    expect(positions([paid('0x01', 1, '2'), paid('0x02', 2, '3')], recorded)).toEqual([])
  })

  it('are unrecorded if there are more of them than records', () => {
    const recorded = [paid('0x01', 1, '1')]
    expect(positions([paid('0x01', 1, '0'), paid('0x01', 1, '1')], recorded)).toEqual(['0'])
    expect(positions([paid('0x01', 1, '0'), paid('0x01', 1, '2')], recorded)).toEqual(['2'])
    expect(positions([paid('0x01', 1, '0')], [])).toEqual(['0'])
  })

  it.each([
    ['another recipient', paid('0x02', 1, '0')],
    ['another amount', paid('0x01', 2, '0')],
  ])('are unrecorded if the record has %s', (_, record) => {
    expect(positions([paid('0x01', 1, '0')], [record])).toEqual(['0'])
  })

  it('are unrecorded if they are tokens with another key', () => {
    const token = { type: 'token', contract: '0x0c' } as const
    const logged = (index: number) => ({
      ...paid('0x01', 1, ''),
      asset: token,
      key: `${txHash}:log:${index}`,
    })
    expect(unrecordedTransfers([logged(0)], [logged(0)])).toEqual([])
    expect(unrecordedTransfers([logged(1)], [logged(0)])).toEqual([logged(1)])
    expect(unrecordedTransfers([logged(1)], [paid('0x01', 1, '0')])).toEqual([logged(1)])
  })
})
