/**
 * Ports that are not dialled on public addresses (DESIGN §6): mail, remote shells, file shares, databases, cluster internals. Every other
 * port is open. A request line is harmless to a web server, but not to a mail server or a database that reads line by line, and a
 * fetcher that dials them is a port scanner to whoever runs them. Inside a range that the operator opened there is no such list.
 */
export const REFUSED_PORTS: ReadonlySet<number> = new Set([
  0, // not a port
  21,
  22,
  23,
  69, // file transfer, SSH, telnet
  25,
  110,
  143,
  465,
  587,
  993,
  995,
  2525, // mail
  53,
  111,
  123,
  161,
  179,
  389,
  636, // name, portmap, time, management, routing, directory services
  135,
  137,
  138,
  139,
  445,
  548,
  873,
  2049, // file shares
  512,
  513,
  514,
  515,
  631, // remote shells, printers
  1433,
  1521,
  3306,
  5432,
  6432,
  27017,
  27018,
  27019, // databases
  5984,
  6379,
  6380,
  7000,
  7001,
  9042,
  9200,
  9300,
  11211, // stores, caches, search
  1883,
  5672,
  8883,
  9092, // brokers
  2375,
  2376, // container engines
  2379,
  2380,
  10248,
  10249,
  10250,
  10255,
  10256,
  10257,
  10259, // etcd, kubelet and its neighbours
  3389,
  5900,
  5901,
  6000, // desktops
])
