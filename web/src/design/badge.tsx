import type { Tone } from './notice.tsx'

const tones: Readonly<Record<Tone | 'plain', string>> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  note: 'bg-note-soft text-note',
  plain: 'bg-band text-ink-soft',
}

/** The tone of each state of the API. States that are not listed have no colour. */
const toneByState: Readonly<Record<string, Tone>> = {
  paid: 'good',
  completed: 'good',
  confirmed: 'good',
  delivered: 'good',
  active: 'good',
  credited: 'good',
  solvent: 'good',
  ready: 'good',
  pending: 'note',
  collecting: 'note',
  sweeping: 'note',
  planned: 'note',
  funding: 'note',
  queued: 'note',
  approved: 'note',
  signed: 'note',
  broadcast: 'note',
  underpaid: 'warn',
  overpaid: 'warn',
  late: 'warn',
  'late payment': 'warn',
  'paid late': 'warn',
  failing: 'warn',
  needs_recheck: 'warn',
  held: 'warn',
  listed: 'warn',
  failed: 'bad',
  blocked: 'bad',
  exhausted: 'bad',
  disabled: 'bad',
  seized: 'bad',
}

export function Badge({ tone = 'plain', children }: { tone?: Tone | 'plain'; children: string }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 align-middle text-xs font-medium whitespace-nowrap ${tones[tone]}`}
    >
      <span aria-hidden className="size-1.5 rounded-full bg-current" />
      <span className="inline-block first-letter:uppercase">{children}</span>
    </span>
  )
}

export function StateBadge({ state }: { state: string }) {
  return <Badge tone={toneByState[state] ?? 'plain'}>{state.replaceAll('_', ' ')}</Badge>
}
