/** What the commands for own networks and tokens share. */
import { fail } from '../../../core/errors.ts'
import { openSealer } from '../../../core/seal.ts'
import { setRowState } from '../../../pricing/own-rows/add-own-row.ts'
import { lossIn } from '../../../pricing/own-rows/own-rows.ts'
import type { OwnRowKind, OwnRows } from '../../../pricing/own-rows/signed-rows.ts'
import { openOperatorSigner } from '../../keys/open-operator-keys.ts'
import { findRunningNodes } from '../../open-evm-nodes.ts'
import { areFit, askingTimeoutMs, type Findings } from '../../own-rows/ask-chain.ts'
import { chainIdProblem } from '../../own-rows/chain-id-problem.ts'
import { installationKeys } from '../../own-rows/read-own-rows.ts'
import type { Terminal } from '../command.ts'
import type { BooksContext } from '../operator-context.ts'

/**
 * Opens what is needed to sign an entry.
 * @throws Error if a key is missing
 */
export async function openSigning({ config, db }: BooksContext) {
  const { xpub } = await installationKeys(config)
  if (xpub === undefined)
    throw new Error('set XPUB_EVM: signed entries name the installation for which they are')
  return { db, entryMin: config.operatorEntryMin, keys: await openOperatorSigner(config, xpub) }
}

/** @throws Error if ENCRYPTION_KEY is missing */
export async function openNetworkRules({ config }: Pick<BooksContext, 'config'>) {
  const { encryptionKey } = await installationKeys(config)
  if (encryptionKey === undefined)
    throw new Error('set ENCRYPTION_KEY: the URLs of nodes are stored encrypted')
  // A stopped sandbox has no nodes to ask. It compares the chain ids when it starts.
  const nodes = await findRunningNodes(config, AbortSignal.timeout(askingTimeoutMs)).catch(() => [])
  return {
    sealer: openSealer(encryptionKey, config.encryptionKeyPrevious),
    chainIdProblem: (chainId: number) => chainIdProblem(config, chainId, nodes),
  }
}

/** Prints what the chain answered. */
export function printFindings(answers: readonly Findings[], terminal: Terminal): void {
  const marks = { ok: ' ', warn: '!', stop: 'x' }
  for (const { node, findings } of answers) {
    if (node !== undefined) terminal.print(`Node ${node}`)
    for (const { name, text, level } of findings) terminal.print(`${marks[level]} ${name.padEnd(15)} ${text}`)
  }
}

/** @throws Problem if the chain's answers forbid it */
export function requireNoStop(answers: readonly Findings[]): void {
  if (!areFit(answers)) throw fail('invalid-request', 'It cannot be added: see the lines marked x.')
}

/** Prints the setting by which processes and commands notice that the last entries were removed. */
export function printEntryMin({ hashes }: Pick<OwnRows, 'hashes'>, terminal: Terminal): void {
  terminal.note('Set this for every process and on this machine, so that removed entries are noticed:')
  terminal.print(`OPERATOR_ENTRY_MIN=${hashes.length}`)
}

/** Shows entries that are refused. Returns the exit code. */
export function printRefused(rows: OwnRows, terminal: Terminal, entryMin: number): number {
  for (const { id, reason } of rows.refused) terminal.note(`entry ${id}: ${reason}`)
  const loss = lossIn(rows, entryMin)
  if (loss !== undefined) terminal.note(loss)
  return rows.refused.length === 0 && loss === undefined ? 0 : 1
}

export async function turn(
  context: BooksContext,
  state: { readonly kind: OwnRowKind; readonly name: string; readonly isEnabled: boolean },
  terminal: Terminal,
): Promise<number> {
  const { isChanged, rows } = await setRowState(await openSigning(context), state)
  const word = state.isEnabled ? 'enabled' : 'disabled'
  terminal.print(isChanged ? `${state.name} is ${word}.` : `${state.name} was ${word} already.`)
  if (isChanged && !state.isEnabled)
    terminal.note(
      'New invoices and addresses do not offer it. Payments to addresses that were given out are still credited and swept, and balances can be withdrawn.',
    )
  printEntryMin(rows, terminal)
  return 0
}
