import type { Problem, ProblemCode } from '../core/errors.ts'
import type { Page } from '../platform/http/route.ts'
import type { Texts } from './languages/en.ts'
import { chooseLanguage } from './languages/language.ts'
import { bannerOf } from './page/banner.ts'
import { type CheckoutAssets, documentOf } from './page/document.ts'
import { headlineOf } from './page/headline.ts'
import {
  checkoutPath,
  errorTextOf,
  type ShowCheckoutParts,
  type ShowQuestion,
  showCheckout,
} from './show-checkout.ts'

export interface PageParts extends ShowCheckoutParts {
  readonly assets: CheckoutAssets
}

/**
 * Renders the whole page in its current state.
 * @throws Problem not-found
 */
export async function checkoutPage(
  parts: PageParts,
  question: ShowQuestion,
  { lang, notice }: { readonly lang?: string | undefined; readonly notice?: ProblemCode | undefined },
): Promise<Page> {
  const { invoiceId, methodId, isChoosing, language } = question
  const status = await showCheckout(parts, question)
  const query = new URLSearchParams()
  if (methodId !== undefined) query.set('method', String(methodId))
  if (isChoosing) query.set('choose', 'true')
  if (lang !== undefined) query.set('lang', lang)
  const problemCode = notice ?? status.checkout.problemCode
  const { tone } = headlineOf(status.checkout.phase)
  return documentOf({
    language,
    title: status.title,
    card: status.card,
    assets: parts.assets,
    description: status.announcement,
    notice: problemCode && errorTextOf(language, problemCode),
    live: {
      path: checkoutPath(invoiceId),
      query: query.toString(),
      version: status.version,
      endsInS: status.endsInS,
      isWaiting: tone === 'open' || tone === 'moving',
    },
    // The payee of a `withdraw` invoice enters an address here, so no other site may frame the page.
    isFramable: status.checkout.invoice.type !== 'withdraw',
  })
}

/** Renders the page for a browser whose request fails, for instance because the invoice is unknown. */
export function missingPage({ assets }: PageParts, problem: Problem, accepted: string | undefined): Page {
  const language = chooseLanguage(undefined, accepted)
  const { title, more } = errorPageOf(problem.status, language.texts)
  const card = bannerOf({ tone: 'over', title, more })
  return documentOf({ language, title, description: title, card, assets, isFramable: true })
}

function errorPageOf(status: number, texts: Texts): { readonly title: string; readonly more?: string } {
  if (status === 404) return { title: texts.notFound, more: texts.notFoundMore }
  if (status === 429) return { title: texts.tooMany, more: texts.tooManyMore }
  return { title: texts.tryAgain }
}
