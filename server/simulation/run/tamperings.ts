/** Checks that `verify` or a halt reports each change of an attacker. */
import { findingsMax } from '../../src/oversight/verify/invariant.ts'
import type { Tampering } from '../model/tampering.ts'
import type { Installation } from '../world/installation.ts'

/** A text that reports something wrong, such as a halt or a finding of `verify`. */
export type Report = string

interface TamperedWorld {
  readonly model: Pick<Installation['model'], 'tamperings'>
  readonly sessions: Pick<Installation['sessions'], 'look'>
}

/**
 * Returns one sentence for each change that remains at the end and is not reported. `verify` must report it with an
 * expected invariant. If the attack has no expected invariant, an active halt is enough. A change remains as long as
 * the row has the values that the attacker wrote. `verify` lists at most `findingsMax` findings of an invariant. If it
 * lists that many, it may leave out the change.
 * @param halts the details of the halts that are active
 * @param violations the findings of `verify`
 */
export async function findUnnoticed(
  world: TamperedWorld,
  halts: readonly Report[],
  violations: readonly Report[],
): Promise<readonly string[]> {
  const unnoticed: string[] = []
  const isFull = (invariant: string) =>
    violations.filter((text) => text.startsWith(`verify ${invariant}:`)).length >= findingsMax
  for (const tampering of world.model.tamperings) {
    const { what, foundBy } = tampering
    const isFound =
      foundBy.length === 0
        ? halts.length > 0
        : violations.some((text) => isAbout(text, tampering)) || foundBy.some(isFull)
    if (isFound || !(await remains(world, tampering))) continue
    unnoticed.push(`an attacker ${what}, and nothing reports it`)
  }
  return [...new Set(unnoticed)]
}

/** Returns whether a finding belongs to an expected invariant and names the row, its invoice or its merchant. */
function isAbout(text: Report, { id, foundBy, merchantIds, invoiceId = id }: Tampering): boolean {
  const isExpected = foundBy.some((invariant) => text.startsWith(`verify ${invariant}:`))
  return isExpected && [id, invoiceId, ...merchantIds].some((name) => text.includes(name))
}

async function remains(world: TamperedWorld, tampering: Tampering): Promise<boolean> {
  const { id, written } = tampering
  return (await world.sessions.look(remainingOf(tampering), [id, written])).length > 0
}

/** Returns the statement that selects the row $1 if it still has the values $2 and its change must be reported. */
export function remainingOf({
  table,
  harmlessIf = 'false',
}: {
  readonly table: string
  readonly harmlessIf?: string | undefined
}): string {
  return `select id from ${table} where id::text = $1 and to_jsonb(${table}.*) @> $2::jsonb and not (${harmlessIf})`
}
