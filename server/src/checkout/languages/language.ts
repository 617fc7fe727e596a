import { ar } from './ar.ts'
import { de } from './de.ts'
import { en, type Texts } from './en.ts'
import { es } from './es.ts'
import { fa } from './fa.ts'
import { fr } from './fr.ts'
import { he } from './he.ts'
import { pt } from './pt.ts'
import { ru } from './ru.ts'
import { zh } from './zh.ts'

export interface Language {
  /** The language's code according to BCP 47. */
  readonly code: string
  /** The language's name in that language, such as "Deutsch". */
  readonly name: string
  readonly direction: 'ltr' | 'rtl'
  readonly texts: Texts
}

/** The languages of the checkout. The first one is used if the browser accepts none of them. */
export const languages: readonly Language[] = [
  { code: 'en', name: 'English', direction: 'ltr', texts: en },
  { code: 'de', name: 'Deutsch', direction: 'ltr', texts: de },
  { code: 'es', name: 'Español', direction: 'ltr', texts: es },
  { code: 'fr', name: 'Français', direction: 'ltr', texts: fr },
  { code: 'pt', name: 'Português', direction: 'ltr', texts: pt },
  { code: 'ru', name: 'Русский', direction: 'ltr', texts: ru },
  { code: 'zh', name: '中文', direction: 'ltr', texts: zh },
  { code: 'ar', name: 'العربية', direction: 'rtl', texts: ar },
  { code: 'he', name: 'עברית', direction: 'rtl', texts: he },
  { code: 'fa', name: 'فارسی', direction: 'rtl', texts: fa },
]

const byCode = new Map(languages.map((language) => [language.code, language]))
const [fallback] = languages as readonly [Language, ...Language[]]

/** Maximum number of language ranges that are read from Accept-Language. Browsers send fewer. */
const rangesMax = 20

/**
 * Returns the requested language, or else the language that the browser prefers (RFC 9110, section 12.5.4),
 * or else English. In a range such as "pt-BR" only the language counts, because the texts do not differ by
 * region.
 * @param wanted the language in the page's query
 * @param accepted the Accept-Language header as sent
 */
export function chooseLanguage(wanted: string | undefined, accepted: string | undefined): Language {
  const asked = wanted === undefined ? undefined : byCode.get(wanted)
  if (asked !== undefined) return asked
  const ranges = (accepted ?? '').slice(0, 500).split(',', rangesMax).map(readRange)
  const [best] = ranges
    .filter(({ weight, language }) => weight > 0 && language !== undefined)
    .toSorted((a, b) => b.weight - a.weight)
  return best?.language ?? fallback
}

function readRange(range: string): { weight: number; language: Language | undefined } {
  const [tag = '', ...parameters] = range.trim().toLowerCase().split(';')
  const quality = parameters.map((one) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(one)?.[1]).find(Boolean)
  const [primary = ''] = tag.split('-')
  // Older systems use the code "iw" for Hebrew.
  return { weight: Number(quality ?? '1'), language: byCode.get(primary === 'iw' ? 'he' : primary) }
}
