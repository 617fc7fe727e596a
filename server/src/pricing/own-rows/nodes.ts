/**
 * The nodes of an operator's own networks. Their URLs often contain keys, so they are stored encrypted and are
 * not part of the signed row, which everybody with read access to the database sees. The row contains the hash
 * of the list with a random salt, so that nobody can replace the list or guess it from the hash.
 */
import { createHash } from 'node:crypto'
import { randomBytes } from '../../core/chance.ts'
import { type ReencryptedBatch, reseal, type Sealer, UnsealError } from '../../core/seal.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { OwnNetwork } from './own-network.ts'
import { readSealedNodes, replaceSealedNodes, type SealedNodes } from './store.ts'

const contextOf = (network: string) => `own-network-nodes:${network}`

/** Encrypts a list of node URLs. Returns the hash for the signed row, too. */
export function sealNodes(
  sealer: Sealer,
  network: string,
  urls: readonly string[],
): { readonly sealed: Buffer; readonly nodesHash: string } {
  const text = JSON.stringify({ urls, salt: randomBytes(16).toString('hex') })
  return { sealed: sealer.seal(text, contextOf(network)), nodesHash: hashOf(text) }
}

/** Returns the nodes of a network; undefined if the stored list is missing or is not the one of the row. */
export function openNodeList(
  sealer: Sealer,
  { name, nodesHash }: Pick<OwnNetwork, 'name' | 'nodesHash'>,
  stored: readonly SealedNodes[],
): readonly string[] | undefined {
  const found = stored.find(({ network }) => network === name)
  if (found === undefined) return undefined
  try {
    const text = sealer.open(found.sealed, contextOf(name)).reveal()
    if (hashOf(text) !== nodesHash) return undefined
    return (JSON.parse(text) as { urls: readonly string[] }).urls
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}

/** Encrypts the lists again under the current encryption key. */
export async function* reencryptNodes({
  db,
  sealer,
}: {
  readonly db: Queryable
  readonly sealer: Sealer
}): AsyncGenerator<ReencryptedBatch> {
  const stored = await readSealedNodes(db)
  const batch = { rows: stored.length, changed: 0, foreign: 0 }
  for (const one of stored) {
    const renewed = reseal(sealer, one.sealed, contextOf(one.network))
    if (renewed === 'foreign') batch.foreign += 1
    if (typeof renewed === 'string') continue
    await replaceSealedNodes(db, one, renewed)
    batch.changed += 1
  }
  yield batch
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
