import type { Tone } from './headline.ts'
import { Html, html, type Inserted } from './html.ts'

const icons: Readonly<Record<Exclude<Tone, 'plain'>, Html>> = {
  open: icon('<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>'),
  moving: icon('<path d="M21 12a9 9 0 1 1-6.2-8.6"/>'),
  good: icon('<circle cx="12" cy="12" r="9"/><path d="m8 12.5 2.7 2.7L16 9.5"/>'),
  over: icon('<circle cx="12" cy="12" r="9"/><path d="M12 7.5v5.5M12 16.2v.3"/>'),
}

function icon(shape: string): Html {
  return new Html(
    `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${shape}</svg>`,
  )
}

export interface Banner {
  readonly tone: Tone
  readonly title: Inserted
  readonly more?: Inserted
  readonly progress?: Inserted
}

/** Renders the heading of the page. */
export function bannerOf({ tone, title, more, progress }: Banner): Html {
  return html`<div class="banner ${tone}">${tone !== 'plain' && icons[tone]}<div class="words"><h1>${title}</h1>${
    more !== undefined && html`<p>${more}</p>`
  }${progress}</div></div>`
}
