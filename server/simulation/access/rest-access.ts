/** Checks deleted merchants at rest, and restores them, so that their balances can be compared. */

import { areBooksOpen, keyOf } from '../model/check.ts'
import { merchantOf } from '../play.ts'
import { readAnswers } from '../run/answers.ts'
import { endWork } from '../run/work.ts'
import type { Installation } from '../world/installation.ts'
import { callRestore } from './call-access.ts'

/**
 * Returns one sentence for each available balance of a deleted merchant. The deletion moves its money to an account for
 * forfeited money, and only a restoration returns it.
 */
export async function findDeletedBalances(world: Installation): Promise<readonly string[]> {
  const { access, model, assets } = world
  if (access === undefined || areBooksOpen(model)) return []
  const { balances } = await readAnswers(world)
  const deleted = model.merchants.filter((id) => access.of(id).isDeleted.mustBe((is) => is))
  return deleted.flatMap((id) =>
    assets.flatMap((asset) => {
      const balance = balances.get(keyOf(id, asset)) ?? 0n
      return balance > 0n ? [`the deleted ${merchantOf(world, id)} has ${balance} ${asset.name}`] : []
    }),
  )
}

/**
 * Lets the operator restore the merchants that are deleted or may be.
 * @returns whether any merchant was restored
 */
export async function restoreDeleted(world: Installation): Promise<boolean> {
  const { access, model } = world
  if (access === undefined) return false
  const deleted = model.merchants.filter((id) => access.of(id).isDeleted.mayBe((is) => is))
  for (const id of deleted) {
    await callRestore(world, access, id)
    await endWork(world)
  }
  return deleted.length > 0
}
