/** What the books hold is there, seen by a second path: balances instead of transfers. */
import sql from 'sql-template-tag'
import type { ChainReader, TransferAsset } from '../chains/port.ts'
import { one } from '../db/pool.ts'
import type { PaymentMethod } from '../payment-methods/payment-method.ts'
import { type ChainInvariant, findingsMax, type Outcome, type Snapshot } from './invariant.ts'

const addressesAtOnce = 500

/** Nothing leaves a deposit address yet: its balance is the sum of the transactions to it. */
export function chainHoldsDeposits(network: string): ChainInvariant {
  return {
    id: 'M7-chain',
    title: `the addresses of ${network} hold what was paid to them`,
    unit: 'balances',
    network,
    prepare: async (snapshot) => {
      const cursor = await one<Cursor>(
        snapshot.on,
        sql`select height, hash from chain_cursor where network = ${network}`,
      )
      const methods = snapshot.methods.all.filter((method) => method.network === network)
      const expected: Expected[] = []
      for (const method of methods) {
        const isEnabled = snapshot.methods.enabled.includes(method)
        expected.push({ method, isEnabled, addresses: await readExpected(snapshot, method) })
      }
      return (reader, signal) => compareAll(reader, cursor, expected, signal)
    },
  }
}

interface Cursor {
  readonly height: number
  readonly hash: string
}

interface ExpectedBalance {
  readonly address: string
  readonly amountMinor: bigint
}

interface Expected {
  readonly method: PaymentMethod
  /** What is sent in a disabled method is not booked, so that there may be more than the books say. */
  readonly isEnabled: boolean
  readonly addresses: readonly ExpectedBalance[]
}

/** Every address that was given to an invoice on the network or was paid there, with what canonical blocks paid it. */
async function readExpected({ on }: Snapshot, method: PaymentMethod): Promise<readonly ExpectedBalance[]> {
  const rows = await on.query<{ address: string; amount: string }>(sql`
    select address.address, coalesce(sum(transaction.amount_minor), 0) as amount
    from address
    left join transaction on transaction.address_id = address.id and transaction.asset = ${method.asset}
      and transaction.block_height is not null
    where address.network = ${method.network} or transaction.id is not null
    group by address.id
    order by address.id`)
  return rows.map(({ address, amount }) => ({ address, amountMinor: BigInt(amount) }))
}

async function compareAll(
  reader: ChainReader,
  cursor: Cursor | undefined,
  expected: readonly Expected[],
  signal: AbortSignal,
): Promise<Outcome> {
  if (cursor === undefined) return { examined: 0, findings: [], skipped: 'no block was read yet' }
  if (!(await isAtNode(reader, cursor, signal))) return { examined: 0, findings: [], skipped: reorganised }
  const findings: string[] = []
  let examined = 0
  for (const asked of expected) {
    for (let from = 0; from < asked.addresses.length; from += addressesAtOnce) {
      const addresses = asked.addresses.slice(from, from + addressesAtOnce)
      findings.push(...(await compare(reader, cursor, { ...asked, addresses }, signal)))
      examined += addresses.length
    }
  }
  if (!(await isAtNode(reader, cursor, signal))) return { examined: 0, findings: [], skipped: reorganised }
  return { examined, findings: findings.slice(0, findingsMax) }
}

const reorganised = 'the node is on another branch than the cursor, look again when it has been followed'

/** Balances are asked by height, so they mean something only while the node has our block there. */
async function isAtNode(
  reader: ChainReader,
  { height, hash }: Cursor,
  signal: AbortSignal,
): Promise<boolean> {
  const header = await reader.readHeader(height, signal)
  return header?.hash === hash
}

async function compare(
  reader: ChainReader,
  { height }: Cursor,
  { method: { asset, contract }, isEnabled, addresses: expected }: Expected,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const transferred: TransferAsset = contract === undefined ? { type: 'coin' } : { type: 'token', contract }
  const addresses = expected.map(({ address }) => address)
  const balances = await reader.readBalances(transferred, addresses, height, signal)
  return expected.flatMap(({ address, amountMinor }, place) => {
    const balance = balances[place] ?? 0n
    return balance === amountMinor || (balance > amountMinor && !isEnabled)
      ? []
      : [`${address} was paid ${amountMinor} ${asset} by the books and has ${balance} at block ${height}`]
  })
}
