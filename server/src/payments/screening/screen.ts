import { required } from '../../core/assert.ts'
import { monotonicMs } from '../../core/clock.ts'
import { withinTime } from '../../core/concurrency/linked-signal.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'
import type { Db, Queryable } from '../../platform/db/pool.ts'
import { findList, findListed } from './list-store.ts'
import { readAnswers, saveAnswers } from './oracle-store.ts'
import { type CanonicalOf, canonicalize } from './sanctions-list.ts'
import { type ListState, type Verdict, verdictOf } from './verdict.ts'

/** A contract that lists sanctioned addresses of its own chain. */
export interface SanctionsOracle {
  /**
   * Returns one answer for each address, in the order of the addresses, which are in canonical form.
   * @throws NodeError if the node does not answer
   */
  areListed(addresses: readonly string[], signal: AbortSignal): Promise<readonly boolean[]>
}

/** The verdicts by address in canonical form. */
export type Verdicts = ReadonlyMap<string, Verdict>

export interface ScreeningParts {
  readonly log: Log
  /** False if an operator explicitly turned screening off. */
  readonly isOn: boolean
  /** Whether a list is configured. Until the list has been read, every address is unknown. */
  readonly hasSource: boolean
  /** The oracles by network. */
  readonly oracles: ReadonlyMap<string, SanctionsOracle>
  readonly families: readonly CanonicalOf[]
}

/**
 * Screens addresses with the sanctions list and with the oracle of their network. A source that is not
 * configured is not used. If neither is configured, every address passes.
 */
export interface Screening {
  /**
   * Screens one address. Must not be called inside a transaction, because it may send a request to a node.
   */
  screen(db: Db, network: string, address: string): Promise<Verdict>
  /**
   * Returns verdicts by address. Returns undefined if screening is off or no source is configured. Does not
   * reject if a node does not answer.
   */
  screenAll(
    db: Db,
    network: string,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<Verdicts | undefined>
  /**
   * Screens one address with data from the database only, for use inside a transaction. If a configured
   * oracle has given no recent answer, an address that is not listed is `unknown`.
   */
  screenStored(on: Queryable, network: string, address: string): Promise<Verdict>
}

export function openScreening(parts: ScreeningParts): Screening {
  const asker = new OracleAsker(parts)
  return {
    screen: async (db, network, address) => {
      await asker.ask(db, network, [address], new AbortController().signal)
      return (await screenEach(parts, db, network, [address]))?.get(address) ?? 'passed'
    },
    screenAll: async (db, network, addresses, signal) => {
      const different = [...new Set(addresses)]
      await asker.ask(db, network, different, signal)
      return screenEach(parts, db, network, different)
    },
    screenStored: async (on, network, address) =>
      (await screenEach(parts, on, network, [address]))?.get(address) ?? 'passed',
  }
}

/**
 * Returns the verdicts by address. Returns undefined if screening is off, or if neither a list nor an oracle
 * is configured for this network.
 */
async function screenEach(
  { isOn, hasSource, oracles, families }: ScreeningParts,
  on: Queryable,
  network: string,
  addresses: readonly string[],
): Promise<Verdicts | undefined> {
  if (!isOn) return undefined
  const list = await readListState(on, hasSource)
  const hasOracle = oracles.has(network)
  if (list === 'off' && !hasOracle) return undefined
  const canonicalAddresses = new Map(addresses.map((address) => [address, canonicalize(families, address)]))
  const found = await findListed(on, [...canonicalAddresses.values()])
  const listed = new Set(list === 'off' ? [] : found.map(({ canonical }) => canonical))
  const answers = hasOracle
    ? await readAnswers(on, { network, addresses }, limits.oracleAnswerS)
    : new Map<string, boolean>()
  return new Map(
    [...canonicalAddresses].map(([address, canonical]) => {
      const screening = { list, isOnList: listed.has(canonical), hasOracle, oracleSays: answers.get(address) }
      return [address, verdictOf(screening)]
    }),
  )
}

async function readListState(on: Queryable, hasSource: boolean): Promise<ListState> {
  const list = await findList(on)
  if (list === undefined) return hasSource ? 'stale' : 'off'
  return list.ageS > limits.sanctionsListAgeS ? 'stale' : 'fresh'
}

/**
 * Asks oracles and stores their answers. After a failure, an oracle is not asked for 10 seconds, so callers
 * do not wait for it.
 */
class OracleAsker {
  readonly #parts: ScreeningParts
  readonly #restUntil = new Map<string, number>()

  constructor(parts: ScreeningParts) {
    this.#parts = parts
  }

  /**
   * Asks the oracle about the addresses without a recent answer, and stores the answers. Resolves even if the
   * oracle fails. Rejects if the signal is aborted.
   */
  async ask(db: Db, network: string, addresses: readonly string[], signal: AbortSignal): Promise<void> {
    const { isOn, oracles, log } = this.#parts
    const oracle = oracles.get(network)
    if (!isOn || oracle === undefined) return
    const known = await readAnswers(db, { network, addresses }, limits.oracleAnswerS)
    const open = addresses.filter((address) => !known.has(address))
    if (open.length === 0 || monotonicMs() < (this.#restUntil.get(network) ?? 0)) return
    let said: readonly boolean[]
    try {
      said = await withinTime([signal], limits.oracleMs, (bounded) => oracle.areListed(open, bounded))
    } catch (error) {
      signal.throwIfAborted()
      this.#restUntil.set(network, monotonicMs() + limits.oracleRestMs)
      log.error(
        { network, err: error },
        'the sanctions oracle does not answer, so new addresses cannot be screened',
      )
      return
    }
    const answers = open.map((address, index) => [address, required(said[index], 'an answer')] as const)
    await saveAnswers(db, network, new Map(answers))
  }
}
