import { required } from '../../core/assert.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'
import type { Db, Queryable } from '../../platform/db/pool.ts'
import { findList, findListed } from './list-store.ts'
import { readAnswers, saveAnswers } from './oracle-store.ts'
import { type CanonicalOf, spell } from './sanctions-list.ts'
import { judge, type ListState, type Verdict } from './verdict.ts'

/** A contract that names sanctioned addresses of its own chain. */
export interface SanctionsOracle {
  /** In the order of the addresses, which are in canonical spelling. @throws NodeError */
  areListed(addresses: readonly string[], signal: AbortSignal): Promise<readonly boolean[]>
}

/** By address, in canonical spelling. */
export type Verdicts = ReadonlyMap<string, Verdict>

export interface ScreeningParts {
  readonly log: Log
  /** False where an operator said aloud that nothing is screened. */
  readonly isOn: boolean
  /** Whether a list is to be read from somewhere: until it was, everybody is unknown. */
  readonly hasSource: boolean
  /** By network. */
  readonly oracles: ReadonlyMap<string, SanctionsOracle>
  readonly families: readonly CanonicalOf[]
}

/** Asks the sanctions list and the oracle, each where it is configured; with neither everybody passes. */
export interface Screening {
  /** May ask a node, so never inside a transaction: it takes the pool. */
  screen(db: Db, network: string, address: string): Promise<Verdict>
  /** By address; undefined where nothing is configured. Never rejects for a node that is away. */
  screenAll(
    db: Db,
    network: string,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<Verdicts | undefined>
  /** From the database alone, for the inside of a transaction: `unknown` where the oracle has not answered lately. */
  screenStored(on: Queryable, network: string, address: string): Promise<Verdict>
}

export function openScreening(parts: ScreeningParts): Screening {
  const asker = new OracleAsker(parts)
  return {
    screen: async (db, network, address) => {
      await asker.ask(db, network, [address], new AbortController().signal)
      return (await judgeAll(parts, db, network, [address]))?.get(address) ?? 'passed'
    },
    screenAll: async (db, network, addresses, signal) => {
      const different = [...new Set(addresses)]
      await asker.ask(db, network, different, signal)
      return judgeAll(parts, db, network, different)
    },
    screenStored: async (on, network, address) =>
      (await judgeAll(parts, on, network, [address]))?.get(address) ?? 'passed',
  }
}

/** Undefined where nothing is asked of this network. */
async function judgeAll(
  { isOn, hasSource, oracles, families }: ScreeningParts,
  on: Queryable,
  network: string,
  addresses: readonly string[],
): Promise<Verdicts | undefined> {
  if (!isOn) return undefined
  const list = await readListState(on, hasSource)
  const hasOracle = oracles.has(network)
  if (list === 'off' && !hasOracle) return undefined
  const spellings = new Map(addresses.map((address) => [address, spell(families, address)]))
  const found = await findListed(on, [...spellings.values()])
  const listed = new Set(list === 'off' ? [] : found.map(({ spelling }) => spelling))
  const answers = hasOracle
    ? await readAnswers(on, { network, addresses }, limits.oracleAnswerS)
    : new Map<string, boolean>()
  return new Map(
    [...spellings].map(([address, spelling]) => {
      const sight = { list, isOnList: listed.has(spelling), hasOracle, oracleSays: answers.get(address) }
      return [address, judge(sight)]
    }),
  )
}

async function readListState(on: Queryable, hasSource: boolean): Promise<ListState> {
  const list = await findList(on)
  if (list === undefined) return hasSource ? 'stale' : 'off'
  return list.ageS > limits.sanctionsListAgeS ? 'stale' : 'fresh'
}

/** Asks oracles and keeps what they say. One that fails is left alone for a while, so that nobody queues behind it. */
class OracleAsker {
  readonly #parts: ScreeningParts
  readonly #restUntil = new Map<string, number>()

  constructor(parts: ScreeningParts) {
    this.#parts = parts
  }

  /** For what was not asked lately. Whatever the oracle does, this resolves. */
  async ask(db: Db, network: string, addresses: readonly string[], signal: AbortSignal): Promise<void> {
    const { isOn, oracles, log } = this.#parts
    const oracle = oracles.get(network)
    if (!isOn || oracle === undefined) return
    const known = await readAnswers(db, { network, addresses }, limits.oracleAnswerS)
    const open = addresses.filter((address) => !known.has(address))
    if (open.length === 0 || performance.now() < (this.#restUntil.get(network) ?? 0)) return
    let said: readonly boolean[]
    try {
      said = await oracle.areListed(open, AbortSignal.any([signal, AbortSignal.timeout(limits.oracleMs)]))
    } catch (error) {
      signal.throwIfAborted()
      this.#restUntil.set(network, performance.now() + limits.oracleRestMs)
      log.error({ network, err: error }, 'the sanctions oracle does not answer, so nobody is known to pass')
      return
    }
    const answers = open.map((address, place) => [address, required(said[place], 'an answer')] as const)
    await saveAnswers(db, network, new Map(answers))
  }
}
