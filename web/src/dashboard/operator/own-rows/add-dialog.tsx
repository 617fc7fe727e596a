import type { components } from 'coffer-sdk'
import { type ReactNode, useState } from 'react'
import { Button } from '../../../design/button.tsx'
import { Fact, Facts } from '../../../design/card.tsx'
import { Copyable } from '../../../design/copyable.tsx'
import { Dialog } from '../../../design/dialog.tsx'
import { Notice } from '../../../design/notice.tsx'
import { api, errorText, hasFieldErrors } from '../../client.ts'
import { useAction } from '../../use-api.ts'
import { factsOf } from './entry-facts.ts'
import { Findings } from './findings.tsx'
import { keyError, SignFields, signWith } from './sign-fields.tsx'

type Proposal = components['schemas']['EntryProposal']

interface AddDialogProps {
  readonly title: string
  readonly description: string
  /** Asks the chain about what was entered. */
  propose(): Promise<Proposal>
  /** The command that does the same. */
  readonly command: string
  /** The fields of the first step, with the errors of the last check. */
  children(error: Error | null): ReactNode
  onClose(): void
}

/**
 * Asks for the fields, shows what the chain says, lets the operator sign the entry, and adds it. The chain's answers
 * come before the yes.
 */
export function AddDialog({ title, description, propose, command, children, onClose }: AddDialogProps) {
  const [proposal, setProposal] = useState<Proposal>()
  const [lastEntry, setLastEntry] = useState<number>()
  const check = useAction(propose, { showsError: true, onDone: setProposal })
  if (lastEntry !== undefined)
    return <AddedDialog lastEntry={lastEntry} policyLines={proposal?.policyLines ?? []} onClose={onClose} />
  if (proposal !== undefined)
    return (
      <ProposalDialog
        title={title}
        proposal={proposal}
        command={command}
        onBack={() => setProposal(undefined)}
        onAdded={setLastEntry}
        onClose={onClose}
      />
    )
  return (
    <Dialog isOpen onOpen={onClose} title={title} description={description}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          check.mutate(undefined)
        }}
      >
        {children(check.error)}
        {check.error !== null && !hasFieldErrors(check.error) && (
          <Notice tone="bad">{errorText(check.error)}</Notice>
        )}
        <div className="flex justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" isBusy={check.isPending}>
            Check
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface ProposalDialogProps {
  readonly title: string
  readonly proposal: Proposal
  readonly command: string
  onBack(): void
  onAdded(lastEntry: number): void
  onClose(): void
}

function ProposalDialog({ title, proposal, command, onBack, onAdded, onClose }: ProposalDialogProps) {
  const { entry, findings, canSignHere } = proposal
  const [file, setFile] = useState<File>()
  const add = useAction(
    async () => {
      const { text = '', nodes = null } = entry ?? {}
      const signature = await signWith(file, text)
      const sent = { text, ...(signature && { signature }), ...(nodes !== null && { nodes }) }
      return api.addOwnEntry({ body: sent })
    },
    { showsError: true, onDone: (added) => onAdded(added.lastEntry) },
  )
  const isElsewhere = add.error !== null && keyError(add.error) === undefined
  return (
    <Dialog isOpen onOpen={onClose} title={title} description="What the chain says">
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          add.mutate(undefined)
        }}
      >
        <Findings findings={findings} />
        {entry === null ? (
          <Notice tone="bad">It cannot be added: see what is marked “stop”.</Notice>
        ) : (
          <>
            <EntryFacts number={entry.number} text={entry.text} />
            <SignFields
              file={file}
              onFile={setFile}
              error={add.error}
              command={command}
              canSignHere={canSignHere}
            />
          </>
        )}
        {isElsewhere && <Notice tone="bad">{errorText(add.error)}</Notice>}
        <div className="flex justify-end gap-2">
          <Button variant="secondary" onClick={onBack}>
            Back
          </Button>
          {entry !== null && (
            <Button type="submit" isBusy={add.isPending}>
              {canSignHere ? title : `Sign and ${title.toLowerCase()}`}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

/** Shows the row as it is in the text that is signed. */
function EntryFacts({ number, text }: { number: number; text: string }) {
  return (
    <details>
      <summary className="cursor-pointer font-medium">Entry {number}, which is signed</summary>
      <div className="mt-2">
        <Facts>
          {factsOf(text).map(({ name, value }) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </Facts>
      </div>
    </details>
  )
}

interface AddedProps {
  readonly lastEntry: number
  readonly policyLines: readonly string[]
  onClose(): void
}

function AddedDialog({ lastEntry, policyLines, onClose }: AddedProps) {
  const toCopy = policyLines.filter((line) => line.startsWith(' '))
  const intro = policyLines.filter((line) => !line.startsWith(' '))
  return (
    <Dialog isOpen onOpen={onClose} title="Added" description="Running processes take it within seconds.">
      <p className="text-ink-soft">
        Set this for every process and where you run commands, so that removed entries are noticed:
      </p>
      <Copyable value={`OPERATOR_ENTRY_MIN=${lastEntry}`} what="setting" isBlock />
      {intro.length > 0 && <p className="text-ink-soft">{intro.join(' ')}</p>}
      {toCopy.map((line) => (
        <Copyable key={line} value={line.trim()} what="line of the policy" isBlock />
      ))}
      <div className="flex justify-end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}
