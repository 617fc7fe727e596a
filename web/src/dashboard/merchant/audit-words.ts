/** Converts entries of the audit log from the API's codes to text for users. */

const spelled: Readonly<Record<string, string>> = { api_key: 'API key', ip_list: 'IP list' }

/** Returns the text of an action, such as "Merchant IP list set" for "merchant.ip_list_set". */
export function actionText(action: string): string {
  const words = Object.entries(spelled)
    .reduce((text, [code, word]) => text.replace(code, word), action)
    .replaceAll(/[._]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the details of an entry as text, without JSON punctuation and without empty values. */
export function detailText(details: Readonly<Record<string, unknown>>): string {
  return Object.entries(details)
    .flatMap(([name, value]) => (isSaid(value) ? `${name}: ${textOf(value)}` : []))
    .join('; ')
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .flatMap(([name, part]) => (isSaid(part) ? `${name} ${textOf(part)}` : []))
    .join(', ')
}

function isSaid(value: unknown): boolean {
  return value !== null && value !== undefined && value !== ''
}
