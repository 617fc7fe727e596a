import { describe, expect, it } from 'vitest'
import { en, type Texts } from './en.ts'
import { chooseLanguage, languages } from './language.ts'

const names = Object.keys(en) as (keyof Texts)[]
const placeholdersIn = (text: string) =>
  [...text.matchAll(/\{\w+\}/g)].map(([placeholder]) => placeholder).sort()

describe('the languages of the checkout', () => {
  it('are ten, three of them from right to left', () => {
    expect(languages).toHaveLength(10)
    expect(languages.filter(({ direction }) => direction === 'rtl')).toHaveLength(3)
  })

  it.each(languages.map(({ code, texts }) => [code, texts] as const))(
    '%s says everything, with the same places to fill',
    (_, texts) => {
      for (const name of names) {
        expect(texts[name].trim(), name).not.toBe('')
        expect(placeholdersIn(texts[name]), name).toEqual(placeholdersIn(en[name]))
      }
    },
  )
})

describe('the language of a page', () => {
  it.each<[string | undefined, string | undefined, string]>([
    ['fr', 'de', 'fr'],
    [undefined, 'de-AT,de;q=0.9,en;q=0.8', 'de'],
    [undefined, 'xx,ru;q=0.2,es;q=0.7', 'es'],
    [undefined, 'iw', 'he'],
    [undefined, 'zh-Hant-TW', 'zh'],
    [undefined, 'de;q=0,en;q=0.1', 'en'],
    [undefined, 'de;q=nonsense', 'de'],
    [undefined, '*', 'en'],
    [undefined, undefined, 'en'],
    [undefined, ','.repeat(100_000), 'en'],
  ])('asked for as %s, with Accept-Language %s, is %s', (wanted, accepted, code) => {
    expect(chooseLanguage(wanted, accepted).code).toBe(code)
  })
})
