import type { CanonicalOf } from '../aml/sanctions-list.ts'
import { openScreening, type Screening } from '../aml/screen.ts'
import { addressCodecs } from '../chains/open-chain.ts'
import type { Log } from '../core/log.ts'
import type { Config } from './config.ts'

/** Every family that can read addresses, for the spelling of a list. */
export const addressFamilies: readonly CanonicalOf[] = Object.values(addressCodecs).map(
  (codec) => (text: string) => codec.canonical(text),
)

/** What senders and destinations are held against, by the settings. */
export function screeningOf({ screening, sanctionsFile }: Config, log: Log): Screening {
  return openScreening({
    log,
    isOn: screening === 'on',
    hasSource: sanctionsFile !== undefined,
    oracles: new Map(),
    families: addressFamilies,
  })
}
