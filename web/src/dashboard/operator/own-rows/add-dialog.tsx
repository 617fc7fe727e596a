import type { components } from 'coffer-sdk'
import { type ReactNode, useState } from 'react'
import { Button } from '../../../design/button.tsx'
import { Fact, Facts } from '../../../design/card.tsx'
import { Copyable } from '../../../design/copyable.tsx'
import { Dialog } from '../../../design/dialog.tsx'
import { Notice } from '../../../design/notice.tsx'
import { api, errorText, hasFieldErrors } from '../../client.ts'
import { ShownError } from '../../shown-error.ts'
import { useAction } from '../../use-api.ts'
import { factsOf, numberOf } from './entry-facts.ts'
import { unshownErrors } from './field-errors.ts'
import { Findings } from './findings.tsx'
import { signAndAdd } from './sign-and-add.ts'
import { keyError, SignFields } from './sign-fields.tsx'

type Proposal = components['schemas']['EntryProposal']

interface AddDialogProps {
  readonly title: string
  readonly description: string
  /** Asks the chain about what was entered. */
  propose(): Promise<Proposal>
  /** Whether an entry adds what was entered. */
  isMeant(text: string): boolean
  /** The command that does the same. */
  readonly command: string
  /** The fields of the first step, with the errors of the last check. */
  children(error: Error | null): ReactNode
  /** The names of these fields in the request. */
  readonly fields: readonly string[]
  onClose(): void
}

/**
 * Asks for the fields, shows what the chain says, lets the operator sign the entry, and adds it. The chain's answers
 * come before the yes.
 */
export function AddDialog(props: AddDialogProps) {
  const { title, description, propose, isMeant, command, children, fields, onClose } = props
  const [proposal, setProposal] = useState<Proposal>()
  const [lastEntry, setLastEntry] = useState<number>()
  const check = useAction(
    async () => {
      const proposed = await propose()
      if (proposed.entry !== null && !isMeant(proposed.entry.text))
        throw new ShownError('The server proposed something else than what you entered: do not sign it.')
      return proposed
    },
    { showsError: true, onDone: setProposal },
  )
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
        <UnshownErrors error={check.error} fields={fields} />
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

/** Shows what no field of the form shows. */
function UnshownErrors({ error, fields }: { error: Error | null; fields: readonly string[] }) {
  if (error === null) return null
  const texts = hasFieldErrors(error) ? unshownErrors(error, fields) : [errorText(error)]
  return texts.length > 0 && <Notice tone="bad">{texts.join('; ')}</Notice>
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
    () => signAndAdd(api, file, { text: entry?.text ?? '', nodes: entry?.nodes ?? null }),
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
            <EntryFacts text={entry.text} />
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
function EntryFacts({ text }: { text: string }) {
  return (
    <details open>
      <summary className="cursor-pointer font-medium">Entry {numberOf(text)}, which is signed</summary>
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
