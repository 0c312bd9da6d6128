/** A word of a command or a path of the settings, with `~` and `${workspaceFolder}` replaced. */
export function expanded(word: string, home: string, folder: string | undefined): string {
  const fromHome = /^~(?=$|[\\/])/.test(word) ? home + word.slice(1) : word;
  return folder === undefined ? fromHome : fromHome.replaceAll("${workspaceFolder}", folder);
}
