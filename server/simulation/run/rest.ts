/** Brings an installation to rest after the moves. */
import { decideAtRest } from '../approval-moves.ts'
import type { Dice } from '../dice.ts'
import { areBooksOpen } from '../model/check.ts'
import { repeatUnanswered } from '../requests/answer-under-key.ts'
import { readTreasuryStates } from '../treasury/call-treasury.ts'
import type { Installation } from '../world/installation.ts'
import { bookOutflows, liftHalts, recover, settleMissing } from '../world/operator.ts'
import { readAnswers } from './answers.ts'
import { describePending } from './pending.ts'
import { endWork, runAlone } from './work.ts'

const restRoundsMax = 60

/**
 * Number of rounds without a change after which the installation counts as at rest. `pending` applies while
 * orders are pending, and `done` otherwise.
 */
const quietRounds = { pending: 14, done: 2 }

const restMs = 13_000

const blocksPerRound = 3

/** Returns whether an order or a treasury withdrawal is pending that should not be. */
async function isAnyPending(world: Installation): Promise<boolean> {
  if ((await describePending(world)).length > 0) return true
  return [...(await readTreasuryStates(world)).values()].includes('pending')
}

/** Ends all faults, then mines blocks, lets time pass and runs all jobs until nothing changes any more. */
export async function comeToRest(world: Installation, dice: Dice): Promise<void> {
  const { sides } = world
  world.events?.receivers.heal()
  for (const node of world.nodes) node.heal()
  world.time.setClocksRight()
  for (const { life } of world.processes) life.pausedMoves = 0
  if (world.mustAskRecovery) await runAlone(world, () => recover(world.process('api').database.db))
  let before = ''
  let same = 0
  let quiet = quietRounds.done
  for (let round = 0; round < restRoundsMax && same < quiet; round += 1) {
    for (const side of sides) {
      side.calm()
      for (let blocks = 0; blocks < blocksPerRound; blocks += 1) side.mine(dice, world.now)
    }
    await world.pass(restMs)
    for (const process of world.processes)
      for (const job of process.jobs) {
        await world.startJob(process, job)
        await endWork(world)
      }
    if (round === 0) await repeatUnanswered(world, () => endWork(world))
    // The operator acts a little later than the processes.
    await world.pass(1)
    await runAlone(world, async () => {
      const { db } = world.process('api').database
      await settleMissing(db)
      await bookOutflows({ db, methods: world.methods }, world.model.orders)
      if (world.wasAnyPartRestored || world.model.takenBack.size > 0) await liftHalts(db, world.now)
    })
    const now = JSON.stringify(await readProgress(world))
    same = now === before ? same + 1 : 0
    quiet = (await isAnyPending(world)) ? quietRounds.pending : quietRounds.done
    before = now
  }
}

/**
 * Lets the operator decide on orders that still wait. After a restore, the model does not know which orders may wait.
 * @returns whether the operator decided on any order
 */
export async function decideRemaining(world: Installation, dice: Dice): Promise<boolean> {
  const { model } = world
  if (model.approvals === undefined || areBooksOpen(model)) return false
  return decideAtRest(world, dice, (await readAnswers(world)).orders)
}

/** Reads counts and states that change as long as the installation is not at rest. */
async function readProgress(world: Installation): Promise<readonly unknown[]> {
  return world.sessions.look(`
    select (select count(*) from journal) as journals, (select count(*) from event) as events,
      (select string_agg(state || coalesce(stage, ''), ',' order by id) from withdrawal) as withdrawals,
      (select string_agg(state, ',' order by id) from outgoing_transaction) as outgoing`)
}
