import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { InputOf, OperationId, ReplyOf } from 'coffer-sdk'
import { useToast } from '../design/toast.tsx'
import { api, errorText } from './client.ts'
import { withProof } from './session/with-proof.ts'

interface Options {
  /** False if the input of the call is not known yet. The call is then not made. */
  readonly isWanted?: boolean
  /** The interval of polls in milliseconds, for data whose changes cause no event. */
  readonly everyMs?: number
  /** Whether the previous data stays visible until the next page is loaded. */
  readonly keepsPreviousData?: boolean
}

/** Loads the response of an SDK call. Loads it again when the data may have changed. */
export function useApi<O extends OperationId>(
  operation: O,
  input: InputOf<O>,
  { isWanted = true, everyMs, keepsPreviousData = false }: Options = {},
): UseQueryResult<ReplyOf<O>, Error> {
  return useQuery<ReplyOf<O>>({
    queryKey: [operation, input],
    queryFn: ({ signal }) => callOf(operation)({ ...input, signal }),
    enabled: isWanted,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
    ...(keepsPreviousData ? { placeholderData: keepPreviousData } : {}),
  })
}

interface ActionOptions<T> {
  /** The message after success; undefined if the page itself shows the result. */
  readonly done?: string
  /** Whether the page shows errors itself, for example a form beside its fields. */
  readonly showsError?: boolean
  onDone?(answer: T): void
  onFailure?(error: Error): void
}

/** Runs a call that changes data on the server. Afterwards, all data on the page is loaded again. */
export function useAction<I, T>(
  run: (input: I) => Promise<T>,
  { done, showsError = false, onDone, onFailure }: ActionOptions<T> = {},
): UseMutationResult<T, Error, I> {
  const showToast = useToast()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input) => withProof(() => run(input)),
    onSuccess: async (answer) => {
      if (done !== undefined) showToast(done)
      onDone?.(answer)
      await queries.invalidateQueries()
    },
    onError: (error) => {
      onFailure?.(error)
      if (!showsError) showToast(errorText(error), { isError: true })
    },
  })
}

interface Action {
  readonly isPending: boolean
  readonly error: Error | null
  mutate(input: undefined): void
}

/** Returns the properties that a dialog needs to confirm and run an action. */
export function confirmed(action: Action) {
  return {
    isBusy: action.isPending,
    error: action.error === null ? undefined : errorText(action.error),
    onConfirm: () => action.mutate(undefined),
  }
}

type CallOf<O extends OperationId> = (input: InputOf<O>) => Promise<ReplyOf<O>>

/**
 * Returns the call of an operation. The cast is necessary, because in the union of all calls TypeScript no
 * longer relates an operation to the type of its input.
 */
function callOf<O extends OperationId>(operation: O): CallOf<O> {
  return api[operation] as unknown as CallOf<O>
}
