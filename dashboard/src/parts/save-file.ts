import { serverNow } from '../api/client.ts'

/** Lets the browser save a text as a file. The day stands in its name. */
export function saveFile(text: string, { name, type, format }: SavedFile): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${name}-${new Date(serverNow()).toISOString().slice(0, 10)}.${format}`
  link.click()
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

interface SavedFile {
  readonly name: string
  readonly type: string
  readonly format: 'csv' | 'json'
}
