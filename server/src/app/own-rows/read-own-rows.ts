/** Reads the operator's own networks and tokens for commands, whether Coffer is running or not. */

import type { EvmNetwork } from '../../chains/evm/evm-networks.ts'
import { openSealer } from '../../core/seal.ts'
import type { Secret } from '../../core/settings.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { openNodeList } from '../../pricing/own-rows/nodes.ts'
import { evmNetworkOf } from '../../pricing/own-rows/own-network.ts'
import { lossIn, readOwnRows } from '../../pricing/own-rows/own-rows.ts'
import { noOwnRows, type OwnRows } from '../../pricing/own-rows/signed-rows.ts'
import { readEntries, readSealedNodes } from '../../pricing/own-rows/store.ts'
import { readSecrets } from '../keys/generated-secrets.ts'
import { openOperatorVerifier } from '../keys/open-operator-keys.ts'
import type { OpenNode } from '../open-node.ts'
import { type Config, coldAddressesOf } from '../settings/config.ts'
import { chainIdProblem } from './chain-id-problem.ts'
import { takeRows } from './take-rows.ts'

/**
 * Returns the signed rows of this installation, and makes their networks known to this process.
 * @throws Error if signed entries are missing or refused
 */
export async function readVerifiedRows(config: Config, db: Queryable): Promise<OwnRows> {
  const rows = await readRowsAsTheyAre(config, db)
  const loss = lossIn(rows, config.operatorEntryMin)
  if (loss !== undefined) throw new Error(`own networks and tokens: ${loss}`)
  return rows
}

/** Returns the signed rows also if entries are missing or refused, for commands that show them. */
export async function readRowsAsTheyAre(config: Config, db: Queryable): Promise<OwnRows> {
  const stored = await readEntries(db)
  if (stored.length === 0) return noOwnRows
  const { xpub } = await installationKeys(config)
  if (xpub === undefined) return noOwnRows
  const rows = readOwnRows(stored, await openOperatorVerifier(config, xpub))
  return takeRows(
    rows,
    (chainId) => chainIdProblem(config, chainId, []),
    () => undefined,
  )
}

/** Returns the configured destinations of treasury withdrawals and those of the operator's own networks. */
export async function readColdAddresses(config: Config, db: Queryable): Promise<Map<string, string>> {
  const { networks } = await readVerifiedRows(config, db)
  const own = networks.flatMap(({ row: { name, coldAddress }, conflict }) =>
    coldAddress === null || conflict !== undefined ? [] : [[name, coldAddress] as const],
  )
  return new Map([...coldAddressesOf(config), ...own])
}

/** Returns the nodes of the operator's own networks. Nodes that cannot be decrypted are left out. */
export async function readOwnNodes(
  config: Config,
  db: Queryable,
): Promise<readonly Omit<OpenNode<EvmNetwork>, 'isOwn'>[]> {
  const { networks } = await readVerifiedRows(config, db)
  const { encryptionKey } = await installationKeys(config)
  if (networks.length === 0 || encryptionKey === undefined) return []
  const sealer = openSealer(encryptionKey, config.encryptionKeyPrevious)
  const stored = await readSealedNodes(db)
  return networks.flatMap(({ row, conflict }) => {
    if (conflict !== undefined) return []
    const urls = openNodeList(sealer, row, stored)
    return urls === undefined ? [] : [{ network: evmNetworkOf(row), urls }]
  })
}

interface InstallationKeys {
  readonly xpub: string | undefined
  readonly encryptionKey: Secret | undefined
}

/** Returns the configured keys, or those that a sandbox generated in its data folder. */
export async function installationKeys(config: Config): Promise<InstallationKeys> {
  const generated = config.mode === 'sandbox' ? await readSecrets(config.dataDir) : undefined
  return {
    xpub: config.xpubEvm ?? generated?.xpubEvm,
    encryptionKey: config.encryptionKey ?? generated?.encryptionKey,
  }
}
