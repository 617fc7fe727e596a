/** No payment was missed: sampled blocks are read again, and what lies on an address beside the books is traced to its block. */
import sql, { type Sql } from 'sql-template-tag'
import { addressFamilyOf, type NetworkName } from '../../../chains/networks.ts'
import { type BlockFacts, isBadAnswer } from '../../../chains/port.ts'
import { fromOthers } from '../../../payments/deposits/recording/from-others.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import {
  type ChainInvariant,
  type ComparedChain,
  findingsMax,
  type Outcome,
  type Snapshot,
} from '../invariant.ts'
import { type CursorBlock, readCursorBlock, unseen, whileAt } from './cursor-block.ts'
import { findSurpluses, missed, type OwnAddress, readUnsweptAddresses } from './find-surpluses.ts'

/** Of final blocks, so many of the highest are read again, and as many more anywhere below: others with every run. */
const sampledMax = 32
const readsAtOnce = 8

export function depositsAreRecorded(network: NetworkName): ChainInvariant {
  return {
    id: 'M7-chain',
    title: `payments to invoices in blocks of ${network} that are read again are recorded`,
    unit: 'blocks and addresses',
    network,
    prepare: async (snapshot) => {
      const known = await readKnown(snapshot, network)
      const { cursor } = known
      return (chain, signal) =>
        cursor === undefined
          ? Promise.resolve(unseen('no block was read yet'))
          : whileAt(chain, cursor, signal, () => compare(chain, { ...known, cursor }, signal))
    },
  }
}

interface Known {
  readonly cursor: CursorBlock | undefined
  readonly methods: PaymentMethods
  readonly blocks: readonly { readonly height: number; readonly hash: string }[]
  /** Those that were given to invoices. */
  readonly invoiced: ReadonlySet<string>
  /** Hot wallets too. */
  readonly ours: ReadonlySet<string>
  /** Keys of all transfers that are recorded in the sampled blocks. */
  readonly recorded: ReadonlySet<string>
  /** What we sent, whose change is no deposit. */
  readonly ownHashes: ReadonlySet<string>
  /** Those that no sweep has touched. */
  readonly unswept: readonly OwnAddress[]
  readonly firstHeight: number
}

async function readKnown({ on, methods }: Snapshot, network: NetworkName): Promise<Known> {
  const texts = async (query: Sql) =>
    new Set((await on.query<{ text: string }>(query)).map(({ text }) => text))
  const blocks = await on.query<{ height: number; hash: string }>(sql`
    with final as (
      select block.height, block.hash, row_number() over (order by block.height desc) as depth
      from block join chain_cursor cursor using (network)
      where network = ${network} and block.height > cursor.first_height
        and block.height <= case when cursor.final_height >= 0 then cursor.final_height else cursor.height end
    ), spread as (
      select height, hash from final where depth > ${sampledMax} order by random() limit ${sampledMax}
    )
    select height, hash from final where depth <= ${sampledMax} union all select height, hash from spread
    order by height`)
  const heights = blocks.map(({ height }) => height)
  const [followed] = await on.query<{ first_height: number }>(
    sql`select first_height from chain_cursor where network = ${network}`,
  )
  const family = addressFamilyOf(network)
  return {
    cursor: await readCursorBlock(on, network),
    methods,
    blocks,
    invoiced: await texts(sql`
      select address as text from address where family = ${family} and invoice_id is not null`),
    ours: await texts(sql`
      select address as text from address where family = ${family}
      union select address from hot_wallet where network = ${network}
      union select address from hot_place where network = ${network}`),
    recorded: await texts(sql`
      select transfer_key as text from transaction
      where network = ${network} and block_height = any(${heights}::bigint[])`),
    ownHashes: await texts(sql`
      select included_tx_hash as text from payout
      where network = ${network} and included_height = any(${heights}::bigint[])`),
    unswept: await readUnsweptAddresses(on, network),
    firstHeight: followed?.first_height ?? 0,
  }
}

async function compare(
  chain: ComparedChain,
  known: Known & { readonly cursor: CursorBlock },
  signal: AbortSignal,
): Promise<Outcome> {
  const findings: string[] = []
  const remarks: string[] = []
  let examined = 0
  for (let from = 0; from < known.blocks.length; from += readsAtOnce) {
    const some = known.blocks.slice(from, from + readsAtOnce)
    const facts = await Promise.all(some.map(({ height }) => readKept(chain, height, signal)))
    for (const [place, { hash }] of some.entries()) {
      const block = facts[place]
      // Another hash is M18-chain's to tell; a block that was not kept is nobody's fault.
      if (block?.block.hash !== hash) continue
      examined += 1
      findings.push(...(await findUnrecorded(known, chain.reader, block, signal)))
    }
  }
  if (!chain.reader.traits.hasOutpoints) {
    const surpluses = await findSurpluses(chain, known, signal)
    findings.push(...surpluses.findings)
    remarks.push(...surpluses.remarks)
    examined += known.unswept.length
  }
  const told = [...new Set(findings)].slice(0, findingsMax)
  return { examined, findings: told, remarks: remarks.slice(0, findingsMax) }
}

/** Nodes keep the traces of old blocks seldom. @throws NodeError where none is there, which its cause tells */
async function readKept(
  { reader }: ComparedChain,
  height: number,
  signal: AbortSignal,
): Promise<BlockFacts | undefined> {
  return reader.readBlock(height, signal).catch((error: unknown) => {
    if (isBadAnswer(error)) return undefined
    throw error
  })
}

/** What a block moved to addresses of invoices from others, in assets that are listed, and no row tells of. */
async function findUnrecorded(
  { methods, invoiced, ours, recorded, ownHashes }: Known,
  reader: ComparedChain['reader'],
  { block, transfers }: BlockFacts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { network } = reader
  const unrecorded = transfers.filter(
    ({ key, txHash, recipient }) => invoiced.has(recipient) && !recorded.has(key) && !ownHashes.has(txHash),
  )
  const strange = await fromOthers(reader, unrecorded, ours, signal)
  return strange.flatMap((transfer) => {
    const contract = transfer.asset.type === 'token' ? transfer.asset.contract : undefined
    const method = methods.byTransferred(network, contract)
    return method === undefined ? [] : [missed(block.height, method, transfer)]
  })
}
