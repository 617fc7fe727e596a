/** Accepts an entry that the operator signed outside this process, for example in the browser. */
import { fail, failField } from '../../core/errors.ts'
import type { Sealer } from '../../core/seal.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { PaymentMethod } from '../payment-methods/payment-method.ts'
import { type ChainIdRule, nextMethodId, requireNetwork, requireToken, stateChange } from './make-change.ts'
import { openNodeList } from './nodes.ts'
import { nextText, readEntryText } from './own-rows.ts'
import type { OwnChange, OwnRows } from './signed-rows.ts'
import { saveSealedNodes } from './store.ts'
import { type EntryParts, lockChain, readChain, storeEntry } from './store-entry.ts'

/** An entry that nobody has signed yet, as the operator's page sends it. */
export interface UnsignedEntry {
  /** The text that was proposed. */
  readonly text: string
  /** The encrypted list of nodes that was proposed with a network; undefined for other entries. */
  readonly sealedNodes?: Buffer | undefined
}

export interface SubmittedEntry extends UnsignedEntry {
  /** Covers the text byte by byte. */
  readonly signature: string
}

export interface AcceptRules extends ChainIdRule {
  readonly sealer: Sealer
  /** The payment methods of this installation. */
  others(): readonly PaymentMethod[]
  /**
   * Asks the chain about a new row once more, before anything is stored.
   * @param nodeUrls the nodes of a new network
   * @throws Problem if what the chain says forbids the row
   */
  askAgain(change: OwnChange, nodeUrls: readonly string[]): Promise<void>
}

/**
 * Checks what the operator is about to sign, because a signature that is not stored may be added later by whoever has
 * it. Stores nothing.
 * @throws Problem if `acceptEntry` would refuse the signed entry now
 */
export async function checkEntry(
  parts: EntryParts,
  rules: AcceptRules,
  proposed: UnsignedEntry,
): Promise<void> {
  const { known } = await readChain(parts.db, parts)
  const { change, nodeUrls } = readProposed(parts, rules, known, proposed)
  await rules.askAgain(change, nodeUrls)
}

/**
 * Checks a signed entry as a command checks what it signs, asks the chain again, and stores the entry with the
 * nodes and the audit entry in one transaction. Returns the rows with it.
 * @throws Problem that says what is wrong with the text, the signature or the row
 */
export async function acceptEntry(
  parts: EntryParts,
  rules: AcceptRules,
  submitted: SubmittedEntry,
): Promise<OwnRows> {
  const { known } = await readChain(parts.db, parts)
  const { change, nodeUrls } = readSubmitted(parts, rules, known, submitted)
  await rules.askAgain(change, nodeUrls)
  return inTransaction(parts.db, async (tx) => {
    const chain = await lockChain(tx, parts)
    // Another entry may have been stored while the chain was asked.
    readSubmitted(parts, rules, chain.known, submitted)
    if (change.type === 'network' && submitted.sealedNodes !== undefined)
      await saveSealedNodes(tx, { network: change.row.name, sealed: submitted.sealedNodes })
    return storeEntry(tx, parts, chain, { change, text: submitted.text, signature: submitted.signature })
  })
}

/** @throws Problem that says what is wrong with the text, the signature or the row */
function readSubmitted(
  parts: Pick<EntryParts, 'keys'>,
  rules: AcceptRules,
  known: OwnRows,
  submitted: SubmittedEntry,
): ReadEntry {
  if (!parts.keys.isSigned(submitted.text, submitted.signature))
    throw failField(
      '/signature',
      'was not made over this text with a key in OPERATOR_PUBLIC_KEYS: choose the key file of that key',
    )
  return readProposed(parts, rules, known, submitted)
}

interface ReadEntry {
  readonly change: OwnChange
  /** The nodes of a new network. */
  readonly nodeUrls: readonly string[]
}

/** @throws Problem that says what is wrong with the text or the row */
function readProposed(
  { keys }: Pick<EntryParts, 'keys'>,
  rules: AcceptRules,
  known: OwnRows,
  { text, sealedNodes }: UnsignedEntry,
): ReadEntry {
  const entry = readEntryText(text)
  if (entry === undefined) throw failField('/text', 'is no entry of this version: check the row again')
  const next = known.hashes.length + 1
  if (entry.serial !== next)
    throw failField(
      '/text',
      `has the number ${entry.serial}, and the next entry has ${next}: check the row again`,
    )
  const { change } = entry
  // Whatever else the text may say, such as another installation or an unknown field, it was not proposed here.
  if (text !== nextText(known, keys.installation, change))
    throw failField('/text', 'is not the next entry of this installation: check the row again')
  requireChange(change, known, rules)
  return { change, nodeUrls: nodesOf(change, rules, sealedNodes) }
}

/** @throws Problem with every field that is wrong */
function requireChange(change: OwnChange, known: OwnRows, rules: AcceptRules): void {
  if (change.type === 'state') {
    if (stateChange(known, change) === undefined)
      throw fail('invalid-request', `${change.name} already is ${change.isEnabled ? 'enabled' : 'disabled'}.`)
    return
  }
  if (change.type === 'nodes')
    throw failField('/text', 'replaces the nodes of a network: run "coffer networks nodes" instead')
  if (change.row.methodId !== nextMethodId(known))
    throw failField('/text', 'has another methodId than the next: check the row again')
  if (change.type === 'network') requireNetwork(change, known, rules)
  else requireToken(change, known, rules.others())
}

function nodesOf(change: OwnChange, { sealer }: AcceptRules, sealed: Buffer | undefined): readonly string[] {
  if (change.type !== 'network') return []
  const urls = sealed && openNodeList(sealer, change.row, [{ network: change.row.name, sealed }])
  if (urls === undefined || urls.length === 0)
    throw failField('/nodes', 'is not the list of nodes that was signed: check the network again')
  return urls
}
