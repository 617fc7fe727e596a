import { type Html, html } from './html.ts'

/** Renders a button that copies exactly `text`. The button is hidden if the page's script does not run. */
export function copyButton(text: string, label: string): Html {
  return html`<button type="button" class="copy needs-script" data-copy="${text}" aria-label="${label}" title="${label}"><svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><g class="sheets"><rect x="9" y="9" width="11" height="11" rx="2"/><path d="M15 5.5V5a1.5 1.5 0 0 0-1.5-1.5H5A1.5 1.5 0 0 0 3.5 5v8.5A1.5 1.5 0 0 0 5 15h.5"/></g><path class="tick" d="m5 12.5 4.5 4.5L19 7.5"/></svg></button>`
}
