export const KEY_VARIABLE = "ASSAY_API_KEY";

/** Where a model is asked, and the key that may be sent there. */
export interface Endpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly key: string | undefined;
}

/** An environment in which `assay` asks this endpoint; as it is, if there is none.
 *
 * All three names are written or removed together: a key of the environment's own belongs to the
 * address beside it. */
export function withEndpoint(
  environment: NodeJS.ProcessEnv,
  endpoint: Partial<Endpoint> | undefined,
): NodeJS.ProcessEnv {
  if (!endpoint?.baseUrl) {
    return environment;
  }
  const { ASSAY_BASE_URL: _, ASSAY_MODEL: __, [KEY_VARIABLE]: ___, ...others } = environment;
  return {
    ...others,
    ASSAY_BASE_URL: endpoint.baseUrl,
    ...(endpoint.model && { ASSAY_MODEL: endpoint.model }),
    ...(endpoint.key && { [KEY_VARIABLE]: endpoint.key }),
  };
}

const LOCAL = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1\])(:|\/|$)/i;
const HOST = /^[\w-]+(\.[\w-]+)+(:|\/|$)/;
const PORT = /^\w+:\/\/[^/]*:([^/:\]]*)(\/|$)/;

/** The address that somebody typed; a scheme that is missing is http on this machine, else https. */
export function addressOf(typed: string): string {
  const address = typed.trim();
  if (LOCAL.test(address)) {
    return `http://${address}`;
  }
  return HOST.test(address) ? `https://${address}` : address;
}

/** What is wrong with an address that somebody typed; undefined if nothing is. */
export function addressProblem(typed: string): string | undefined {
  if (/[{}]/.test(typed)) {
    return "Put the name of your resource in place of {}.";
  }
  let address: URL;
  try {
    address = new URL(addressOf(typed));
  } catch {
    const port = PORT.exec(addressOf(typed))?.[1];
    return port === undefined || isPort(port)
      ? "This is no address. One looks like https://models.example.com/v1"
      : `"${port}" is no port: that is a number up to 65535.`;
  }
  if (address.protocol !== "https:" && address.protocol !== "http:") {
    return "It should start with https:// (or http:// on this machine).";
  }
  if (address.username !== "" || address.password !== "") {
    return "Leave out name and password; the key is asked for next.";
  }
  return undefined;
}

function isPort(text: string): boolean {
  return /^\d*$/.test(text) && Number(text) <= 65_535;
}
