/** What the commands for own networks and tokens share. */
import { fail } from '../../../core/errors.ts'
import { openSealer } from '../../../core/seal.ts'
import { setRowState } from '../../../pricing/own-rows/add-own-row.ts'
import type { OwnRowKind } from '../../../pricing/own-rows/signed-rows.ts'
import { openOperatorSigner } from '../../keys/open-operator-keys.ts'
import { findRunningNodes } from '../../open-evm-nodes.ts'
import { chainIdProblem } from '../../own-rows/chain-id-problem.ts'
import type { Finding } from '../../own-rows/describe-findings.ts'
import { installationKeys } from '../../own-rows/read-own-rows.ts'
import type { Terminal } from '../command.ts'
import type { CommandContext } from '../operator-context.ts'

/** How long a check of all nodes may take. */
export const askingTimeoutMs = 60_000

/**
 * Opens what is needed to sign an entry.
 * @throws Error if a key is missing
 */
export async function openSigning({ config, db }: CommandContext) {
  const { xpub } = await installationKeys(config)
  if (xpub === undefined)
    throw new Error('set XPUB_EVM: signed entries name the installation for which they are')
  return { db, keys: await openOperatorSigner(config, xpub) }
}

/** @throws Error if ENCRYPTION_KEY is missing */
export async function openNetworkRules({ config }: CommandContext) {
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

/** Prints what the chain answered. Returns whether the row may be added. */
export function printFindings(found: readonly Finding[], terminal: Terminal): boolean {
  const marks = { ok: ' ', warn: '!', stop: 'x' }
  for (const { name, text, level } of found) terminal.print(`${marks[level]} ${name.padEnd(15)} ${text}`)
  return found.every(({ level }) => level !== 'stop')
}

/** @throws Problem if the chain's answers forbid it */
export function requireFit(mayAdd: boolean): void {
  if (!mayAdd) throw fail('invalid-request', 'It cannot be added: see the lines marked x.')
}

export async function turn(
  context: CommandContext,
  state: { readonly kind: OwnRowKind; readonly name: string; readonly isEnabled: boolean },
  terminal: Terminal,
): Promise<number> {
  const isChanged = await setRowState(await openSigning(context), state)
  const word = state.isEnabled ? 'enabled' : 'disabled'
  terminal.print(isChanged ? `${state.name} is ${word}.` : `${state.name} was ${word} already.`)
  if (isChanged && !state.isEnabled)
    terminal.note(
      'New invoices and addresses do not offer it. Payments to addresses that were given out are still credited and swept, and balances can be withdrawn.',
    )
  return 0
}
