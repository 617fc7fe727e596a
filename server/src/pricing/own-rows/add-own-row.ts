import type { Sealer } from '../../core/seal.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { PaymentMethod } from '../payment-methods/payment-method.ts'
import {
  type ChainIdRule,
  type Draft,
  networkChange,
  nodesChange,
  stateChange,
  tokenChange,
} from './make-change.ts'
import { sealNodes } from './nodes.ts'
import { nextText, type ReadingParts } from './own-rows.ts'
import type { OwnChange, OwnRows, RowState } from './signed-rows.ts'
import { saveSealedNodes } from './store.ts'
import { type EntryParts, lockChain, readChain, storeEntry } from './store-entry.ts'

export interface AddParts extends EntryParts {
  readonly keys: ReadingParts & { sign(text: string): string }
}

export interface NetworkRules extends ChainIdRule {
  readonly sealer: Sealer
}

/**
 * Adds a network with its nodes. Whoever calls this has asked the chain before.
 * @throws Problem with every field that is wrong
 */
export function addNetwork(
  parts: AddParts,
  rules: NetworkRules,
  draft: Draft,
  nodeUrls: readonly string[],
): Promise<OwnRows> {
  return append(parts, async (tx, known) => {
    const name = String(draft['name'])
    const { sealed, nodesHash } = sealNodes(rules.sealer, name, nodeUrls)
    const change = networkChange(known, { ...draft, nodesHash }, rules)
    await saveSealedNodes(tx, { network: name, sealed })
    return change
  })
}

/**
 * Adds a token. Whoever calls this has asked the chain before.
 * @param others the payment methods of this installation, which may have other contracts than the catalogue
 * @throws Problem with every field that is wrong
 */
export function addToken(parts: AddParts, draft: Draft, others: readonly PaymentMethod[]): Promise<OwnRows> {
  return append(parts, async (_, known) => tokenChange(known, draft, others))
}

/**
 * Enables or disables a row. Nothing changes if it already is so.
 * @throws Problem if there is no such row
 */
export async function setRowState(
  parts: AddParts,
  state: RowState,
): Promise<{ readonly isChanged: boolean; readonly rows: OwnRows }> {
  let isChanged = false
  const rows = await append(parts, async (_, known) => {
    const change = stateChange(known, state)
    isChanged = change !== undefined
    return change
  })
  return { isChanged, rows }
}

/**
 * Replaces the nodes of a network. Whoever calls this has asked the new ones before.
 * @throws Problem if there is no such network
 */
export function changeNodes(
  parts: AddParts,
  sealer: Sealer,
  network: string,
  nodeUrls: readonly string[],
): Promise<OwnRows> {
  return append(parts, async (tx, known) => {
    const { sealed, nodesHash } = sealNodes(sealer, network, nodeUrls)
    const change = nodesChange(known, { network, nodesHash })
    await saveSealedNodes(tx, { network, sealed })
    return change
  })
}

/** An entry that nobody has signed yet. */
export interface Proposal {
  readonly text: string
  /** The number of the entry. */
  readonly serial: number
}

/**
 * Returns the entry that the operator would sign for a change, and stores nothing.
 * @param make returns the change, or throws Problem with every field that is wrong
 * @throws Problem if signed entries are missing
 */
export async function proposeEntry(
  parts: EntryParts,
  make: (known: OwnRows) => OwnChange,
): Promise<Proposal> {
  const { known } = await readChain(parts.db, parts)
  const text = nextText(known, parts.keys.installation, make(known))
  return { text, serial: known.hashes.length + 1 }
}

/**
 * Signs an entry after those that are stored. Returns the rows with it.
 * @throws Problem if signed entries are missing, because the signature would then count for another state
 */
async function append(
  parts: AddParts,
  make: (tx: Tx, known: OwnRows) => Promise<OwnChange | undefined>,
): Promise<OwnRows> {
  return inTransaction(parts.db, async (tx) => {
    const chain = await lockChain(tx, parts)
    const change = await make(tx, chain.known)
    if (change === undefined) return chain.known
    const text = nextText(chain.known, parts.keys.installation, change)
    return storeEntry(tx, parts, chain, { change, text, signature: parts.keys.sign(text) })
  })
}
