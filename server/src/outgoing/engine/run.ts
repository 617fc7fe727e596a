/**
 * Runs the engine of one network in rounds. Each round has eight numbered steps, each in a file of its own.
 */
import { NodeError } from '../../chains/port.ts'
import { type Clock, monotonicMs } from '../../core/clock.ts'
import { Wake, workLoop } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import { type Guard, type Lease, withLease } from '../../platform/db/lease.ts'
import { SignerAwayError } from '../../signing/signer-port.ts'
import { adoptLog } from './adopt-signer-log.ts'
import { reportHalts } from './controls/active-halts.ts'
import { haltTamperings } from './controls/halt-tamperings.ts'
import { SolvencyState } from './controls/solvency-state.ts'
import { type EngineMemory, newMemory } from './engine-memory.ts'
import { type EngineParts, raiseAlert } from './engine-parts.ts'
import { followOutgoing } from './follow.ts'
import { planOutgoing } from './plan.ts'
import { recheckOutgoing } from './recheck.ts'
import { guardPast } from './recovery/guard-past.ts'
import { sendOutgoing } from './send.ts'
import { signOutgoing } from './sign.ts'

export interface RunEngineParts extends EngineParts {
  readonly clock: Clock
  /** The pause between two rounds if there is nothing to do. */
  readonly pollMs: number
  readonly signal: AbortSignal
  /** Rejects writes if the history of the database is not the one that this process knows. */
  readonly guard: Guard
  /**
   * Compares the books with the chain repeatedly while the lease is held. The comparison uses the engine's
   * lease, so the process that plans has made the comparison itself. If undefined, planning does not wait for
   * a comparison.
   */
  readonly keepSolvent?:
    | ((lease: Lease, solvency: SolvencyState, signal: AbortSignal) => Promise<void>)
    | undefined
}

export function engineLease(network: string): string {
  return `payouts ${network}`
}

/**
 * Runs the engine of a network until `signal` aborts, in the one process that holds the lease. A new head of
 * the chain starts a round at once.
 */
export async function runEngine(parts: RunEngineParts): Promise<void> {
  const { db, network, clock, log, signal, pollMs, guard } = parts
  const name = engineLease(network.name)
  await awaitSigner(parts)
  return withLease(
    { db, name, ttlMs: limits.leaseMs, guard, clock, log, signal },
    async (lease, heldSignal) => {
      const memory = newMemory(lease)
      const wake = new Wake()
      const { keepSolvent } = parts
      if (keepSolvent !== undefined) memory.solvency = new SolvencyState(() => wake.now())
      parts.chain.watchHeads(() => wake.now(), heldSignal)
      const worker = { name, idleMs: pollMs, runBatch: (stop: AbortSignal) => doRound(parts, memory, stop) }
      await Promise.all([
        workLoop(worker, { clock, log, wake, signal: heldSignal }),
        memory.solvency && keepSolvent?.(lease, memory.solvency, heldSignal),
      ])
    },
  )
}

/**
 * Waits up to 20 s until the signer answers, because it may start together with this process. If the signer
 * takes longer, the rounds of the engine raise an alert.
 */
async function awaitSigner({
  clock,
  signal,
  signer,
}: Pick<RunEngineParts, 'clock' | 'signal' | 'signer'>): Promise<void> {
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
 * Runs each step of a round once. Each step commits by itself, so the process may end after any step. If a
 * node does not answer, the round still signs and sends. It plans new transactions only if the nodes answered
 * in steps 3 and 5.
 * @returns the number of changes; 0 if there is nothing to do but wait
 * @throws NodeError if a node did not answer, after all steps that can run have run
 */
export async function doRound(
  parts: EngineParts,
  memory: EngineMemory,
  signal: AbortSignal,
): Promise<number> {
  const nodeErrors: NodeError[] = []
  const ask = (step: () => Promise<number>) => unlessNodeFails(nodeErrors, signal, step)
  // 1. Halt if a row was found whose MAC or signature does not match.
  await haltTamperings(parts, memory)
  // 2. Adopt the transactions that the signer signed but that the database does not contain.
  const isLogKnown = await knowLog(parts, memory)
  // 3. Follow sent transactions: read their receipts, and book those that are final.
  let done = await ask(() => followOutgoing(parts, memory, signal))
  const isFollowed = nodeErrors.length === 0
  // 4. Recheck transactions that no node knows, raise fees that are too low, and mark conflicted
  // transactions.
  if (isFollowed) done += await ask(() => recheckOutgoing(parts, memory, isLogKnown, signal))
  if (isLogKnown) {
    // 5. Find out whether somebody else spent our money, or whether the database was set back to an earlier
    // state.
    await parts.strategy.inspect?.(memory, signal)
    let isClear = false
    done += await ask(async () => {
      const past = await guardPast(parts, memory, signal)
      isClear = past.isClear
      return past.done
    })
    // 6. Plan the proposals of the outgoing sources.
    if (isFollowed && isClear) done += await ask(() => planOutgoing(parts, memory, signal))
    // 7. Ask the signer to sign planned transactions and fee bumps.
    done += await sign(parts, memory, isClear && memory.solvency?.isFresh !== false)
  }
  // 8. Send signed bytes.
  done += await sendOutgoing(parts, memory, signal)
  const [nodeError] = nodeErrors
  if (nodeError !== undefined) throw nodeError
  return done
}

/**
 * Runs a step of the round. A NodeError is stored in `nodeErrors` and thrown at the end of the round, so that
 * the later steps still run.
 */
async function unlessNodeFails(
  nodeErrors: NodeError[],
  signal: AbortSignal,
  step: () => Promise<number>,
): Promise<number> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    nodeErrors.push(error)
    return 0
  }
}

/**
 * Returns true if the signer is ours and the database contains everything that the signer ever signed. If
 * not, the round only follows and sends transactions that were signed before.
 */
async function knowLog(parts: EngineParts, memory: EngineMemory): Promise<boolean> {
  return (
    (await unlessAway(parts, memory, async () => {
      if (!isAttestedLately(memory) && !(await parts.strategy.attest(memory))) return false
      await reportHalts(parts, memory)
      return adoptLog(parts, memory)
    })) ?? false
  )
}

/**
 * Returns true if the signer attested within the last minute. The signer attests again every minute, because
 * its policy may have changed, and the policy limits what may be planned.
 */
function isAttestedLately({ isAttested, attestedAtMs }: EngineMemory): boolean {
  return isAttested && monotonicMs() - attestedAtMs < attestEveryMs
}

const attestEveryMs = 60_000

async function sign(parts: EngineParts, memory: EngineMemory, isClear: boolean): Promise<number> {
  return (await unlessAway(parts, memory, () => signOutgoing(parts, memory, isClear))) ?? 0
}

async function unlessAway<T>(
  parts: EngineParts,
  memory: EngineMemory,
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
