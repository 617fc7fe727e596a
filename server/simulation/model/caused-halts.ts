/** Determines whether a halt of payouts is the right answer to a change of an attacker. */
import type { Halt } from '../../src/outgoing/engine/controls/halt-store.ts'
import { detailCharsMax } from '../../src/oversight/verify/continuous-check.ts'
import type { ModelAsset } from './asset.ts'
import type { Tampering } from './tampering.ts'

/**
 * Returns whether changes of the attacker caused a halt. A halt for tampering must name a changed row or its invoice. A
 * halt of the books is caused by changes only if each of its violations is about one of them.
 */
export function isCausedByChange(
  { tamperings }: { readonly tamperings: readonly Tampering[] },
  assets: readonly Pick<ModelAsset, 'methodId' | 'name'>[],
  { cause, detail }: Pick<Halt, 'cause' | 'detail'>,
): boolean {
  if (cause === 'tampering') return tamperings.some((tampering) => namesRow(detail, tampering))
  if (cause !== 'books') return false
  const nameOf = ({ methodId }: Tampering) => assets.find((asset) => asset.methodId === methodId)?.name
  return violationsIn(detail).every((violation) =>
    tamperings.some(
      (tampering) => namesRow(violation, tampering) || namesMoney(violation, tampering, nameOf(tampering)),
    ),
  )
}

/** A number as id does not identify a row in a text, because amounts are numbers too. */
function namesRow(text: string, { id, invoiceId }: Tampering): boolean {
  const names = /^\d+$/.test(id) ? [invoiceId] : [id, invoiceId]
  return names.some((name) => name !== undefined && text.includes(name))
}

/**
 * Returns whether a violation is about the money of a changed row: about one of its merchants in its asset, or about
 * the sums of all accounts in its asset.
 */
function namesMoney(violation: string, { merchantIds }: Tampering, asset: string | undefined): boolean {
  if (asset === undefined) return false
  const isAboutSums = violation.replace(/^M\S+ /, '').startsWith(`${asset}: `)
  return isAboutSums || (violation.includes(asset) && merchantIds.some((id) => violation.includes(id)))
}

/** Returns the violations that a halt of the books lists, without the last one if the text was cut off. */
function violationsIn(detail: string): readonly string[] {
  const violations = detail.split(/; (?=M\d)/)
  return detail.length < detailCharsMax || violations.length === 1 ? violations : violations.slice(0, -1)
}
