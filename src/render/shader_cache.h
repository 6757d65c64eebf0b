/* Where Mesa keeps compiled shaders from one process to the next. They are machine code that drivers run unchecked.
 * Workers read hostile files, so shaders that a worker leaves there are for other workers, in their sandbox, and for no
 * other program. Unless the user names a folder, workers have one of their own. */
#pragma once

/* The value that MESA_SHADER_CACHE_DIR has or ought to have: "mesa_shader_cache" goes in there. Unless the user names one it
 * is `part` (NULL: none) of ours. NULL where the user has no home. The caller's to free. */
char *shader_cache_folder(const char *part);

/* Why nothing is or will be kept there; NULL where something is. */
const char *shader_cache_problem(const char *folder);

/* Makes the folder, and has drivers that are opened from now on use it. They then need not ask the system who the user is,
 * for which it may want to open sockets. The folder, the caller's to free; NULL when nothing can be kept. */
char *shader_cache_use(const char *part);
