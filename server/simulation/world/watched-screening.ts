/** The screening of a simulated process, and what the model learns of it. */
import type { Log } from '../../src/core/log.ts'
import { openScreening, type SanctionsOracle, type Screening } from '../../src/payments/screening/screen.ts'
import type { Model } from '../model/model.ts'
import { type OracleAnswers, senderKeyOf } from '../model/oracle-answers.ts'
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
  const { life, model, nowMs, answers, log, isOn, networks } = parts
  const process = `${life.name}#${life.number}`
  const screening = openScreening({
    log,
    isOn,
    hasSource: false,
    oracles: new Map(networks.map((network) => [network, oracleOf(parts, process, network)])),
    families: [],
  })
  return {
    ...screening,
    screenAll: async (db, network, addresses, signal) => {
      const startedMs = nowMs()
      const verdicts = await screening.screenAll(db, network, addresses, signal)
      const endedMs = nowMs()
      for (const [address, verdict] of verdicts ?? [])
        if (verdict === 'unknown' && answers.mayBeUnknown({ process, network, address, startedMs, endedMs }))
          model.unscreened.add(senderKeyOf(network, address))
      return verdicts
    },
  }
}

function oracleOf(
  { scheduler, life, model, nowMs, answers }: WatchedScreeningParts,
  process: string,
  network: string,
): SanctionsOracle {
  const oracle: SanctionsOracle = {
    areListed: async (addresses) => addresses.map((address) => model.listed.has(address)),
  }
  const { areListed } = parked(scheduler, life, 'oracle', oracle, ['areListed'])
  return {
    areListed: async (addresses, signal) => {
      const call = answers.begin(process, network, nowMs())
      const said = await areListed(addresses, signal)
      answers.end(call, addresses, nowMs())
      return said
    },
  }
}
