/** Builds docs/events.md, which describes the events that merchants can receive, from the declared kinds. */
import type { JsonSchema } from '../../platform/http/json-schema.ts'
import type { EventKind } from '../../platform/outbox/event-kind.ts'
import { eventKinds, exampleEvent } from './event-kinds.ts'

/** Returns the page in Markdown, without its last line break. */
export function eventsPage(): string {
  return [preface, contents(), ...eventKinds.map(section)].join('\n\n')
}

const preface = `# Events

Generated from the declared schemas by \`npm run contract\`; do not edit. [webhooks.md](webhooks.md) describes how events are
sent, signed and retried.

Every event is one JSON object with the same six fields:

| field | type | meaning |
| --- | --- | --- |
| \`id\` | string (UUID) | the same in every delivery of this event |
| \`type\` | string | one of those below; new types may be added, and a reader must ignore types that it does not know |
| \`merchantID\` | string (UUID) | the merchant of the event |
| \`timestamp\` | string | when it happened: \`YYYY-MM-DDTHH:mm:ss.sssZ\` |
| \`sequence\` | integer | the number of the event among the merchant's events: 1, 2, 3, without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher, so that no number ever belongs to two events |
| \`data\` | object | what happened; its fields depend on the type, and more may be added to them |

Amounts are decimal strings, never numbers. An event is always smaller than 20 kB.`

function contents(): string {
  return ['| type | when it fires |', '| --- | --- |', ...eventKinds.map(contentsRow)].join('\n')
}

function contentsRow({ type, fires }: EventKind): string {
  return `| [\`${type}\`](#${type.replaceAll('.', '')}) | ${firstSentence(fires)} |`
}

function firstSentence(text: string): string {
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}

function section(kind: EventKind): string {
  const { properties = {}, required = [] } = kind.data as JsonSchema
  const rows = Object.entries(properties).map(([name, field]) => {
    const isAlways = required.includes(name)
    return `| \`${name}\` | ${typeOf(field)}${isAlways ? '' : ', may be absent'} | ${meaningOf(name, field)} |`
  })
  return `## ${kind.type}

${kind.fires}

| field of \`data\` | type | meaning |
| --- | --- | --- |
${rows.join('\n')}

\`\`\`json
${JSON.stringify(exampleEvent(kind), undefined, 2)}
\`\`\``
}

function typeOf({ type, const: fixed, enum: choices, anyOf, items, pattern }: JsonSchema): string {
  if (fixed !== undefined) return `\`${JSON.stringify(fixed)}\``
  if (choices !== undefined) return choices.map((choice) => `\`"${choice}"\``).join(', ')
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ')
  if (items !== undefined) return `array of ${typeOf(items)}`
  return pattern?.startsWith('^[0-9a-fA-F]{8}') === true ? 'string (UUID)' : String(type)
}

function meaningOf(name: string, { description, anyOf = [] }: JsonSchema): string {
  const said = [description, ...anyOf.map((part) => part.description)].find((text) => text !== undefined)
  return said ?? (name === 'state' ? 'the current state' : '')
}
