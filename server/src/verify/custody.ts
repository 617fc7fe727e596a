/** What the books hold is there, seen by a second path: balances instead of transfers. */
import sql from 'sql-template-tag'
import type { ChainReader, TransferAsset } from '../chains/port.ts'
import { sum } from '../core/money.ts'
import { one } from '../db/pool.ts'
import type { PaymentMethod } from '../payment-methods/payment-method.ts'
import { type ChainInvariant, findingsMax, type Outcome, type Snapshot } from './invariant.ts'

const addressesAtOnce = 500

/**
 * Nothing leaves a deposit address yet, so it holds at least the sum of the transactions to it. It may hold more:
 * value also comes without a transaction (a block reward, a genesis allocation) or in a disabled method, and by nobody's
 * leave but the sender's. That is told and breaks nothing.
 */
export function chainHoldsDeposits(network: string): ChainInvariant {
  return {
    id: 'M7-chain',
    title: `the addresses of ${network} hold at least what was paid to them`,
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
        expected.push({ method, addresses: await readExpected(snapshot, method) })
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
  const outcomes: Outcome[] = []
  for (const asked of expected) outcomes.push(await compareMethod(reader, cursor, asked, signal))
  if (!(await isAtNode(reader, cursor, signal))) return { examined: 0, findings: [], skipped: reorganised }
  return {
    examined: outcomes.reduce((total, { examined }) => total + examined, 0),
    findings: outcomes.flatMap(({ findings }) => findings).slice(0, findingsMax),
    remarks: outcomes.flatMap(({ remarks = [] }) => remarks),
  }
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

/** The breaches, and in one remark all that came without our knowing. */
async function compareMethod(
  reader: ChainReader,
  { height }: Cursor,
  { method, addresses }: Expected,
  signal: AbortSignal,
): Promise<Outcome> {
  const { asset } = method
  const findings: string[] = []
  const surpluses: bigint[] = []
  for (let from = 0; from < addresses.length; from += addressesAtOnce) {
    const some = addresses.slice(from, from + addressesAtOnce)
    const balances = await readBalances(reader, method, some, height, signal)
    for (const [place, { address, amountMinor }] of some.entries()) {
      const balance = balances[place] ?? 0n
      if (balance > amountMinor) surpluses.push(balance - amountMinor)
      if (balance < amountMinor)
        findings.push(
          `${address} was paid ${amountMinor} ${asset} by the books and has ${balance} at block ${height}`,
        )
    }
  }
  const remarks =
    surpluses.length === 0
      ? []
      : [
          `unattributed: ${sum(surpluses)} ${asset} more than the books say, at ${surpluses.length} of ${addresses.length} addresses`,
        ]
  return { examined: addresses.length, findings, remarks }
}

function readBalances(
  reader: ChainReader,
  { contract }: PaymentMethod,
  expected: readonly ExpectedBalance[],
  height: number,
  signal: AbortSignal,
): Promise<readonly bigint[]> {
  const transferred: TransferAsset = contract === undefined ? { type: 'coin' } : { type: 'token', contract }
  return reader.readBalances(
    transferred,
    expected.map(({ address }) => address),
    height,
    signal,
  )
}
