/// Whether this unit is compiled with a sanitizer that keeps shadow memory: terabytes of address space and a multiple
/// of the memory in use. Limits on either mean nothing then.
#pragma once

namespace mora {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // g++
inline constexpr bool has_shadow_memory = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)  // clang
inline constexpr bool has_shadow_memory = true;
#else
inline constexpr bool has_shadow_memory = false;
#endif
#else
inline constexpr bool has_shadow_memory = false;
#endif

}  // namespace mora
