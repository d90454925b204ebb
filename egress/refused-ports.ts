const GROUPS = {
  nothing: [0],
  transferAndShells: [21, 22, 23, 512, 513, 514],
  mail: [25, 110, 143, 465, 587, 993, 995, 2525],
  namesAndDirectories: [53, 111, 389, 636],
  shares: [135, 137, 138, 139, 445, 548, 873, 2049],
  databases: [1433, 1521, 3306, 5432, 6379, 9042, 9200, 9300, 11211, 27017, 27018, 27019],
  brokers: [5672, 9092],
  clusters: [2375, 2376, 2379, 2380, 10248, 10249, 10250, 10255, 10256, 10257, 10259],
  desktops: [3389, 5900],
}

/**
 * Ports that are not dialled on public addresses. Every other port is allowed. A request line is harmless to a web
 * server, but not to a mail server or a database that reads line by line. To the owners of such servers, a fetcher that
 * dials them is a port scanner. The list does not apply inside a range that the operator opened, where only
 * the port of Tidemark's own database is refused.
 */
export const REFUSED_PORTS: ReadonlySet<number> = new Set(Object.values(GROUPS).flat())
