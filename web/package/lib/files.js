/* Files in memory, and the system calls by which the C library reads and writes them. Tapes, checkpoints and images pass
 * through here: JavaScript puts bytes under a name, calls the library with that name, and takes bytes back. Numbers of
 * errors are those of WASI, which Emscripten's C library uses. */

const EBADF = 8, EEXIST = 20, EINVAL = 28, ENOENT = 44, ENOTDIR = 54;
const O_ACCESS = 3, O_CREAT = 0o100, O_EXCL = 0o200, O_TRUNC = 0o1000, O_APPEND = 0o2000, O_DIRECTORY = 0o200000;
const FILE_MODE = 0o100644, FOLDER_MODE = 0o040755;

/** A file grows by doubling its room. */
class File {
  constructor(bytes = new Uint8Array(0)) {
    this.room = bytes;
    this.size = bytes.length;
  }
  resize(size) {
    if (size > this.room.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.room.length, 1024));
      larger.set(this.room.subarray(0, this.size));
      this.room = larger;
    } else if (size > this.size) {
      this.room.fill(0, this.size, size);
    }
    this.size = size;
  }
  read(at, into) {
    const count = Math.max(0, Math.min(into.length, this.size - at));
    into.set(this.room.subarray(at, at + count));
    return count;
  }
  write(at, from) {
    if (at + from.length > this.size) this.resize(at + from.length);
    this.room.set(from, at);
    return from.length;
  }
}

export class Files {
  constructor() {
    this.files = new Map(); // by path
    this.open = new Map();  // by number
    this.next = 3;
    this.memory = null; // set when the engine is there
  }

  put(path, bytes) { this.files.set(path, new File(Uint8Array.from(bytes))); }
  get(path) {
    const file = this.files.get(path);
    return file ? file.room.slice(0, file.size) : undefined;
  }
  remove(path) { this.files.delete(path); }
  /** Remove all files whose paths begin like this. */
  removeAll(start) {
    for (const path of this.files.keys()) if (path.startsWith(start)) this.files.delete(path);
  }

  bytes(at, size) { return new Uint8Array(this.memory.buffer, at, size); }
  view() { return new DataView(this.memory.buffer); }
  text(at) {
    const all = new Uint8Array(this.memory.buffer);
    return new TextDecoder().decode(all.subarray(at, all.indexOf(0, at)));
  }

  /** Pass pieces of memory to `each(bytes)` until one of them is not used up. */
  pieces(list, count, done, each) {
    const view = this.view();
    let total = 0;
    for (let i = 0; i < count; i++) {
      const at = view.getUint32(list + 8 * i, true), size = view.getUint32(list + 8 * i + 4, true);
      const used = each(this.bytes(at, size));
      total += used;
      if (used < size) break;
    }
    view.setUint32(done, total, true);
    return 0;
  }

  stat(file, folder, at) {
    const view = this.view();
    this.bytes(at, 88).fill(0);
    view.setInt32(at + 12, folder ? FOLDER_MODE : FILE_MODE, true);
    view.setInt32(at + 16, 1, true);
    view.setBigInt64(at + 40, BigInt(file ? file.size : 0), true);
    view.setInt32(at + 48, 4096, true);
    return 0;
  }
  statPath(path, at) {
    const file = this.files.get(path);
    if (file) return this.stat(file, false, at);
    return /^\.?\/*$/.test(path) ? this.stat(null, true, at) : -ENOENT;
  }

  /** What the engine imports. */
  imports() {
    const transfer = (write, place) => (fd, list, count, ...rest) => {
      const open = this.open.get(fd);
      const done = rest[rest.length - 1];
      if (!open || !open.file) {
        if (write && fd <= 2) return this.pieces(list, count, done, (b) => b.length); // nobody reads it
        return EBADF;
      }
      let at = place ? Number(rest[0]) : write && open.append ? open.file.size : open.at;
      const result = this.pieces(list, count, done, (bytes) => {
        const used = write ? open.file.write(at, bytes) : open.file.read(at, bytes);
        at += used;
        return used;
      });
      if (!place) open.at = at;
      return result;
    };
    const rename = (from, to) => {
      const file = this.files.get(from);
      if (!file) return -ENOENT;
      this.files.delete(from);
      this.files.set(to, file);
      return 0;
    };
    const unlink = (path) => (this.files.delete(path) ? 0 : -ENOENT);
    const files = {
      open: (at, flags) => {
        const path = this.text(at);
        let file = this.files.get(path);
        if (!file && /^\.?\/*$/.test(path)) {
          this.open.set(this.next, { file: null, at: 0 });
          return this.next++;
        }
        if (file && flags & O_DIRECTORY) return -ENOTDIR;
        if (file && flags & O_CREAT && flags & O_EXCL) return -EEXIST;
        if (!file && !(flags & O_CREAT)) return -ENOENT;
        if (!file) this.files.set(path, (file = new File()));
        if (flags & O_TRUNC && flags & O_ACCESS) file.resize(0);
        this.open.set(this.next, { file, at: 0, append: !!(flags & O_APPEND) });
        return this.next++;
      },
    };
    const wasi = {
      fd_read: transfer(false, false),
      fd_write: transfer(true, false),
      fd_pread: transfer(false, true),
      fd_pwrite: transfer(true, true),
      fd_close: (fd) => (this.open.delete(fd) ? 0 : EBADF),
      fd_sync: () => 0,
      fd_seek: (fd, offset, whence, result) => {
        const open = this.open.get(fd);
        if (!open || !open.file) return EBADF;
        const at = Number(offset) + [0, open.at, open.file.size][whence];
        if (at < 0) return EINVAL;
        open.at = at;
        this.view().setBigInt64(result, BigInt(at), true);
        return 0;
      },
      fd_fdstat_get: (fd, at) => {
        if (!this.open.has(fd)) return EBADF;
        this.bytes(at, 24).fill(0);
        this.bytes(at, 1)[0] = 4; // a regular file
        return 0;
      },
      environ_sizes_get: (count, size) => {
        this.view().setUint32(count, 0, true);
        this.view().setUint32(size, 0, true);
        return 0;
      },
      environ_get: () => 0,
      clock_time_get: (clock, _precision, at) => {
        const now = clock === 0 ? Date.now() : performance.now();
        this.view().setBigUint64(at, BigInt(Math.round(now * 1e6)), true);
        return 0;
      },
      clock_res_get: (_clock, at) => {
        this.view().setBigUint64(at, 1000n, true);
        return 0;
      },
      proc_exit: (code) => {
        throw new Error(`the engine stopped (${code})`);
      },
    };
    const env = {
      __syscall_stat64: (path, at) => this.statPath(this.text(path), at),
      __syscall_lstat64: (path, at) => this.statPath(this.text(path), at),
      __syscall_fstatat64: (_fd, path, at) => this.statPath(this.text(path), at),
      __syscall_fstat64: (fd, at) => {
        const open = this.open.get(fd);
        return open ? this.stat(open.file, !open.file, at) : -EBADF;
      },
      __syscall_ftruncate64: (fd, size) => {
        const open = this.open.get(fd);
        if (!open || !open.file) return -EBADF;
        open.file.resize(Number(size));
        return 0;
      },
      __syscall_rename: (from, to) => rename(this.text(from), this.text(to)),
      __syscall_unlink: (path) => unlink(this.text(path)),
      __syscall_unlinkat: (_fd, path) => unlink(this.text(path)),
      __syscall_faccessat: (_fd, path) => (this.files.has(this.text(path)) ? 0 : -ENOENT),
      __call_sighandler: () => {}, // nobody handles signals
      __syscall_chmod: () => 0,
      __syscall_fchmod: () => 0,
      __syscall_getuid32: () => 0,
      __syscall_getdents64: () => 0,
      __syscall_readlink: () => -EINVAL,
      __syscall_getcwd: (at, size) => {
        if (size < 2) return -68; // ERANGE
        this.bytes(at, 2).set([47, 0]);
        return 2;
      },
      getrandom: (at, size) => {
        globalThis.crypto.getRandomValues(this.bytes(at, size));
        return size;
      },
    };
    return { files, wasi, env };
  }
}
