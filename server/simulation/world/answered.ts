/**
 * Waits until the caller has received the answer. If the process is killed after the commit, the caller never
 * receives it.
 */
export type Answered = () => Promise<void>
