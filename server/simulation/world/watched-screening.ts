/** The screening of a simulated process, and what the model learns of it. */
import { required } from '../../src/core/assert.ts'
import type { Log } from '../../src/core/log.ts'
import { openScreening, type SanctionsOracle, type Screening } from '../../src/payments/screening/screen.ts'
import type { Model } from '../model/model.ts'
import { type OracleAnswers, type ScreeningRun, senderKeyOf } from '../model/oracle-answers.ts'
import { parked } from '../ports/parked.ts'
import type { Life } from '../scheduler/life.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'

export interface WatchedScreeningParts {
  readonly scheduler: Scheduler
  readonly life: Life
  readonly model: Model
  /** Returns the simulated time in milliseconds. */
  nowMs(): number
  readonly answers: OracleAnswers
  readonly log: Log
  readonly isOn: boolean
  /** The networks with an oracle. */
  readonly networks: readonly string[]
}

/** Opens a screening that asks oracles. It tells the model which senders may not have been screened. */
export function openWatchedScreening(parts: WatchedScreeningParts): Screening {
  const { life, model, nowMs, answers, log, isOn } = parts
  const process = `${life.name}#${life.number}`
  const oracles = new WatchedOracles(parts)
  const screening = openScreening({ log, isOn, hasSource: false, oracles, families: [] })
  /** Runs a screening and notes its times. */
  const watch = async <Found>(network: string, screen: () => Promise<Found>) => {
    const run = answers.begin(process, network, nowMs())
    const found = await oracles.during(run, screen)
    answers.end(run, nowMs())
    return { run, found }
  }
  return {
    ...screening,
    screen: async (db, network, address) =>
      (await watch(network, () => screening.screen(db, network, address))).found,
    screenAll: async (db, network, addresses, signal) => {
      const watched = await watch(network, () => screening.screenAll(db, network, addresses, signal))
      for (const [address, verdict] of watched.found ?? [])
        if (verdict === 'unknown') {
          const senders = answers.mayBeUnknown(watched.run, address)
            ? model.unscreened
            : model.wronglyUnscreened
          senders.add(senderKeyOf(network, address))
        }
      return watched.found
    },
  }
}

/**
 * The oracles by network. A screening takes its oracle before it waits for anything, and gets one that notes the
 * question and the answer in the run of this screening.
 */
class WatchedOracles extends Map<string, SanctionsOracle> {
  readonly #parts: WatchedScreeningParts
  #begun: ScreeningRun | undefined

  constructor(parts: WatchedScreeningParts) {
    super(parts.networks.map((network) => [network, oracleOf(parts)]))
    this.#parts = parts
  }

  /** Begins a screening, whose questions belong to the run. */
  during<Found>(run: ScreeningRun, screen: () => Promise<Found>): Promise<Found> {
    this.#begun = run
    const found = screen()
    this.#begun = undefined
    return found
  }

  override get(network: string): SanctionsOracle | undefined {
    const oracle = super.get(network)
    if (oracle === undefined) return undefined
    const { nowMs, answers } = this.#parts
    const run = required(this.#begun, 'the screening that takes its oracle')
    return {
      areListed: async (addresses, signal) => {
        answers.ask(run, addresses, nowMs())
        const said = await oracle.areListed(addresses, signal)
        answers.answer(run, nowMs())
        return said
      },
    }
  }
}

function oracleOf({ scheduler, life, model }: WatchedScreeningParts): SanctionsOracle {
  const oracle: SanctionsOracle = {
    areListed: async (addresses) => addresses.map((address) => model.listed.has(address)),
  }
  return parked(scheduler, life, 'oracle', oracle, ['areListed'])
}
