import { NodeError } from '../../chains/port.ts'
import type { Clock } from '../../core/clock.ts'
import { Wake, workLoop } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import { type Guard, type Lease, withLease } from '../../platform/db/lease.ts'
import { SignerAwayError } from '../../signing/signer-port.ts'
import { adoptLog } from './adopt-log.ts'
import { haltTamperings } from './controls/halt-tamperings.ts'
import { SolvencySight } from './controls/solvency-sight.ts'
import { tellHalts } from './controls/standing-halts.ts'
import { doubtPayouts } from './doubt-payouts.ts'
import { followPayouts } from './follow-payouts.ts'
import { type PayoutParts, raiseAlert } from './machine.ts'
import { type MachineMemory, newMemory } from './machine-memory.ts'
import { planPayouts } from './plan-payouts.ts'
import { guardPast } from './recovery/guard-past.ts'
import { sendPayouts } from './send-payouts.ts'
import { signPayouts } from './sign-payouts.ts'

export interface RunPayoutsParts extends PayoutParts {
  readonly clock: Clock
  /** How long to rest when there is nothing to do. */
  readonly pollMs: number
  readonly signal: AbortSignal
  /** Holds on the database's history that this process knows; nothing is written on another one. */
  readonly guard: Guard
  /**
   * Compares the books with the chain again and again, for as long as the lease is held; without it nothing waits for that. Under
   * the same lease, so that whoever plans is who compared.
   */
  readonly keepSolvent?:
    | ((lease: Lease, sight: SolvencySight, signal: AbortSignal) => Promise<void>)
    | undefined
}

export function payoutsLease(network: string): string {
  return `payouts ${network}`
}

/** Sends a network's payouts until the signal aborts: one process at a time, under a lease, woken by new heads. */
export async function runPayouts(parts: RunPayoutsParts): Promise<void> {
  const { db, network, clock, log, signal, pollMs, guard } = parts
  const name = payoutsLease(network.name)
  await awaitSigner(parts)
  return withLease(
    { db, name, ttlMs: limits.leaseMs, guard, clock, log, signal },
    async (lease, heldSignal) => {
      const memory = newMemory(lease)
      const wake = new Wake()
      const { keepSolvent } = parts
      if (keepSolvent !== undefined) memory.solvency = new SolvencySight(() => wake.now())
      parts.chain.watchHeads(() => wake.now(), heldSignal)
      const worker = { name, idleMs: pollMs, takeAndDo: (stop: AbortSignal) => doRound(parts, memory, stop) }
      await Promise.all([
        workLoop(worker, { clock, log, wake, signal: heldSignal }),
        memory.solvency && keepSolvent?.(lease, memory.solvency, heldSignal),
      ])
    },
  )
}

/** A signer that starts together with us needs a moment. One that takes longer is away, which is told by the rounds. */
async function awaitSigner({
  clock,
  signal,
  signer,
}: Pick<RunPayoutsParts, 'clock' | 'signal' | 'signer'>): Promise<void> {
  for (let waitedMs = 0; waitedMs < signerStartMs && !signal.aborted; waitedMs += signerAskMs) {
    try {
      await signer.attest()
      return
    } catch (error) {
      if (!(error instanceof SignerAwayError)) throw error
      await clock.sleep(signerAskMs, signal)
    }
  }
}

const signerStartMs = 20_000
const signerAskMs = 100

/**
 * One round: everything that can be done now, once. Every step commits by itself and may be the last. What was signed is
 * sent, and offered higher, whatever nodes do not answer; nothing new is decided while they do not tell of what was sent, and
 * nothing is signed for the first time before they told what lies there.
 * @returns how much was done; 0 when there is nothing to do but wait
 * @throws NodeError where a node could not be asked, after everything else
 */
export async function doRound(
  parts: PayoutParts,
  memory: MachineMemory,
  signal: AbortSignal,
): Promise<number> {
  await haltTamperings(parts, memory)
  const faults: NodeError[] = []
  const ask = (step: () => Promise<number>) => unlessNodeFails(faults, signal, step)
  const isLogKnown = await knowLog(parts, memory)
  let done = await ask(() => followPayouts(parts, memory, signal))
  const isFollowed = faults.length === 0
  if (isFollowed) done += await ask(() => doubtPayouts(parts, memory, isLogKnown, signal))
  if (isLogKnown) {
    await parts.way.inspect(memory, signal)
    let isClear = false
    done += await ask(async () => {
      const past = await guardPast(parts, memory, signal)
      isClear = past.isClear
      return past.done
    })
    if (isFollowed && isClear) done += await ask(() => planPayouts(parts, memory, signal))
    done += await sign(parts, memory, isClear && memory.solvency?.isFresh !== false)
  }
  done += await sendPayouts(parts, memory, signal)
  const [fault] = faults
  if (fault !== undefined) throw fault
  return done
}

/** Keeps what a node could not tell for the end of the round: the steps after it wait for no such answer. */
async function unlessNodeFails(
  faults: NodeError[],
  signal: AbortSignal,
  step: () => Promise<number>,
): Promise<number> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    faults.push(error)
    return 0
  }
}

/** Whether the signer is ours and the database holds all that it ever signed. Without it, what was sent is followed. */
async function knowLog(parts: PayoutParts, memory: MachineMemory): Promise<boolean> {
  return (
    (await unlessAway(parts, memory, async () => {
      if (!isAttestedLately(memory) && !(await parts.way.attest(memory))) return false
      await tellHalts(parts, memory)
      return adoptLog(parts, memory)
    })) ?? false
  )
}

/** A policy that was read again changes what may be planned, within a minute. */
function isAttestedLately({ isAttested, attestedAtMs }: MachineMemory): boolean {
  return isAttested && performance.now() - attestedAtMs < attestEveryMs
}

const attestEveryMs = 60_000

async function sign(parts: PayoutParts, memory: MachineMemory, isClear: boolean): Promise<number> {
  return (await unlessAway(parts, memory, () => signPayouts(parts, memory, isClear))) ?? 0
}

async function unlessAway<T>(
  parts: PayoutParts,
  memory: MachineMemory,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SignerAwayError)) throw error
    memory.isAttested = false
    raiseAlert(parts, memory, 'signer-away', { subject: 'signer', err: error }, 'the signer does not answer')
    return undefined
  }
}
