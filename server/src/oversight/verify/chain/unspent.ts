/** Checks, on UTXO networks, that the unspent outputs of our addresses at the node are those in our list. */
import sql from 'sql-template-tag'
import { addressFamilyOf, type NetworkName } from '../../../chains/networks.ts'
import type { ChainReader, KnownOutput } from '../../../chains/port.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { type ChainInvariant, type ComparedChain, findingsMax, type Outcome } from '../invariant.ts'
import { type CursorBlock, readCursorBlock, unseen, whileAt } from './cursor-block.ts'

const addressesAtOnce = 500

/**
 * Compares each address at the cursor's block (the last booked one). An address must hold the sum of its
 * listed outputs. A shortage of a single unit is a violation. A surplus is only a remark; it may be from
 * before the first followed block, for example. If nodes cannot report the balance of an address, each listed
 * output is looked up.
 */
export function outputsAreTheChains(network: NetworkName): ChainInvariant {
  return {
    id: 'M20',
    title: `our addresses of ${network} hold the listed UTXOs`,
    unit: 'addresses',
    network,
    prepare: async ({ on }) => {
      const cursor = await readCursorBlock(on, network)
      if (cursor === undefined) return async () => unseen('no block was read yet')
      const held = await readHeld(on, network)
      const outputs = await readUnspentOutputs(on, network)
      return (chain, signal) =>
        whileAt(chain, cursor, signal, () => {
          const { findGone } = chain.reader
          return findGone === undefined
            ? compare(chain, cursor, held, signal)
            : compareOutputs(findGone, cursor, outputs, signal)
        })
    },
  }
}

interface Held {
  readonly address: string
  readonly minor: bigint
}

async function readHeld(on: Queryable, network: NetworkName): Promise<readonly Held[]> {
  const rows = await on.query<{ address: string; minor: string }>(sql`
    with own as (
      select address from address where family = ${addressFamilyOf(network)}
      union select address from hot_wallet_address where network = ${network} and is_given
    )
    select own.address, coalesce(sum(amount_minor), 0) as minor
    from own
    left join own_output on own_output.network = ${network} and own_output.address = own.address and own_output.spent_by is null
    group by own.address order by own.address`)
  return rows.map(({ address, minor }) => ({ address, minor: BigInt(minor) }))
}

function readUnspentOutputs(on: Queryable, network: NetworkName): Promise<readonly KnownOutput[]> {
  return on
    .query<Omit<KnownOutput, 'amountMinor'> & { minor: string }>(sql`
      select outpoint, address as recipient, amount_minor as minor from own_output
      where network = ${network} and spent_by is null order by outpoint`)
    .then((rows) => rows.map(({ minor, ...output }) => ({ ...output, amountMinor: BigInt(minor) })))
}

/**
 * Looks up each listed output, for nodes that cannot report balances. Outputs that are missing from our list
 * are not found in this way.
 */
async function compareOutputs(
  findGone: NonNullable<ChainReader['findGone']>,
  { height }: CursorBlock,
  outputs: readonly KnownOutput[],
  signal: AbortSignal,
): Promise<Outcome> {
  const findings: string[] = []
  for (let from = 0; from < outputs.length; from += addressesAtOnce) {
    const gone = new Set(await findGone(outputs.slice(from, from + addressesAtOnce), height, signal))
    for (const { outpoint, recipient, amountMinor } of outputs.slice(from, from + addressesAtOnce))
      if (gone.has(outpoint))
        findings.push(`at block ${height} the node has no UTXO ${outpoint} of ${amountMinor} at ${recipient}`)
  }
  return { examined: outputs.length, findings: findings.slice(0, findingsMax) }
}

async function compare(
  { reader }: ComparedChain,
  { height }: CursorBlock,
  held: readonly Held[],
  signal: AbortSignal,
): Promise<Outcome> {
  const findings: string[] = []
  const remarks: string[] = []
  for (let from = 0; from < held.length; from += addressesAtOnce) {
    const some = held.slice(from, from + addressesAtOnce)
    const addresses = some.map(({ address }) => address)
    const reported = await reader.readBalances({ type: 'coin' }, addresses, height, signal)
    for (const [index, { address, minor }] of some.entries()) {
      const there = reported[index] ?? 0n
      const at = `at block ${height} ${address} holds ${there} by the node, ${minor} by our list`
      if (there < minor) findings.push(at)
      if (there > minor) remarks.push(`unlisted: ${at}`)
    }
  }
  return {
    examined: held.length,
    findings: findings.slice(0, findingsMax),
    remarks: remarks.slice(0, findingsMax),
  }
}
