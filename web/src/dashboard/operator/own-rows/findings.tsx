import type { components } from 'coffer-sdk'
import { Badge } from '../../../design/badge.tsx'

type Finding = components['schemas']['ChainFinding']

const tones = { ok: 'good', warn: 'warn', stop: 'bad' } as const
const words = { ok: 'ok', warn: 'judge', stop: 'stop' } as const

/** Lists what the nodes answered, by node. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  const nodes = [...new Set(findings.map(({ node }) => node))]
  return (
    <div className="grid gap-3">
      {nodes.map((node) => (
        <section key={node ?? ''} className="grid gap-1.5">
          <h3 className="font-medium [overflow-wrap:anywhere]">{node ?? 'All nodes'}</h3>
          <ul className="grid gap-1.5">
            {findings
              .filter((one) => one.node === node)
              .map(({ name, text, level }) => (
                <li
                  key={name}
                  className="grid grid-cols-[4.5rem_minmax(0,1fr)] items-baseline gap-x-3 sm:grid-cols-[4.5rem_8rem_minmax(0,1fr)]"
                >
                  <span className="justify-self-start">
                    <Badge tone={tones[level]}>{words[level]}</Badge>
                  </span>
                  <span className="text-ink-soft first-letter:uppercase">{name}</span>
                  <span className="max-sm:col-start-2 [overflow-wrap:anywhere]">{text}</span>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
