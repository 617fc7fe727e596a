import { describe, expect, it } from 'vitest'
import { canonicalText, genesisHash, sealHash } from './seal.ts'
import type { StoredJournal } from './store.ts'

const ownerId = '0197a1f1-1111-7111-8111-111111111111'
const stored: StoredJournal = {
  id: '0197a1f1-0000-7000-8000-000000000001',
  kind: 'deposit.credited',
  subject: 'deposit:x:1',
  reverses: undefined,
  postedAt: new Date('2026-11-21T04:00:00.123Z'),
  mac: '00000000.11',
  lines: [
    {
      ordinal: 0,
      account: { name: 'custody', ownerId, asset: 'ethereum/USDT' },
      debitMinor: 1_000_000n,
      creditMinor: 0n,
    },
    {
      ordinal: 1,
      account: { name: 'capital', ownerId: undefined, asset: 'ethereum/USDT' },
      debitMinor: 0n,
      creditMinor: 1_000_000n,
    },
  ],
}
const [first, second] = stored.lines
const otherOwner = '0197a1f1-2222-7222-8222-222222222222'

describe('sealHash', () => {
  it('is SHA-256 of the previous hash and the documented bytes, which never change', () => {
    expect(canonicalText(7, stored)).toBe(
      '["7","0197a1f1-0000-7000-8000-000000000001","deposit.credited","deposit:x:1",null,' +
        '"2026-11-21T04:00:00.123Z","00000000.11",[["0","custody","0197a1f1-1111-7111-8111-111111111111","ethereum/USDT",' +
        '"1000000","0"],["1","capital",null,"ethereum/USDT","0","1000000"]]]',
    )
    expect(sealHash(genesisHash, 7, stored).toString('hex')).toBe(
      'f5672172bef2845309e0c8b061059b8c2ad9148b6cc87049421478cf2029349e',
    )
  })

  it.each<[string, Partial<StoredJournal>]>([
    ['id', { id: '0197a1f1-0000-7000-8000-000000000002' }],
    ['kind', { kind: 'deposit.below_minimum' }],
    ['subject', { subject: 'deposit:x:2' }],
    ['reversed journal', { reverses: '0197a1f1-0000-7000-8000-000000000002' }],
    ['time', { postedAt: new Date('2026-11-21T04:00:00.124Z') }],
    ['MAC', { mac: '00000000.12' }],
    ['amount', { lines: [{ ...line(first), debitMinor: 1_000_001n }, line(second)] }],
    ['side', { lines: [{ ...line(first), debitMinor: 0n, creditMinor: 1_000_000n }, line(second)] }],
    [
      'account',
      {
        lines: [{ ...line(first), account: { name: 'fees', ownerId, asset: 'ethereum/USDT' } }, line(second)],
      },
    ],
    [
      'owner',
      { lines: [{ ...line(first), account: { ...line(first).account, ownerId: otherOwner } }, line(second)] },
    ],
    [
      'asset',
      {
        lines: [{ ...line(first), account: { ...line(first).account, asset: 'ethereum/ETH' } }, line(second)],
      },
    ],
    ['place of a line', { lines: [{ ...line(first), ordinal: 2 }, line(second)] }],
    ['number of lines', { lines: [line(first)] }],
  ])('changes with the %s', (_, change) => {
    expect(sealHash(genesisHash, 7, { ...stored, ...change })).not.toEqual(sealHash(genesisHash, 7, stored))
  })

  it('changes with the position in history and with everything before', () => {
    const hash = sealHash(genesisHash, 7, stored)
    expect(sealHash(genesisHash, 8, stored)).not.toEqual(hash)
    expect(sealHash(hash, 7, stored)).not.toEqual(hash)
  })
})

function line(found: StoredJournal['lines'][number] | undefined) {
  if (found === undefined) throw new Error('the sample journal has two lines')
  return found
}
